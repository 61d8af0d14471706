BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'citewell-memory','m001_turns','2026-11-30 07:37:40.463276+00:00');
CREATE TABLE conversations (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            platform TEXT NOT NULL,
            tenant TEXT NOT NULL,
            channel TEXT NOT NULL,
            thread TEXT NOT NULL,
            place TEXT NOT NULL,
            started_at TEXT NOT NULL,
            last_at TEXT NOT NULL
        );
INSERT INTO "conversations" VALUES(1,'slack:T1:C1:100.1','slack','T1','C1','100.1','slack:T1:C1','2026-03-01T12:00:00.000000+00:00','2026-03-01T12:02:00.000000+00:00');
CREATE TABLE sources (
            turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            n INTEGER NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            url TEXT,
            locator TEXT NOT NULL,
            quote TEXT NOT NULL,
            found_by TEXT NOT NULL,
            rank INTEGER NOT NULL,
            rank_before_rerank INTEGER NOT NULL,
            PRIMARY KEY (turn, position)
        );
INSERT INTO "sources" VALUES(1,0,1,'flu#1','Flu clinic','https://clinic.example/flu','page 1','Open on Tuesdays.','["keyword", "vector"]',1,4);
INSERT INTO "sources" VALUES(1,1,2,'flu#2','Flu clinic',NULL,'page 2','Open on Tuesdays.','["keyword", "vector"]',2,5);
CREATE TABLE turns (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            message TEXT NOT NULL,
            kind TEXT NOT NULL,
            author TEXT NOT NULL,
            question TEXT NOT NULL,
            standalone TEXT NOT NULL,
            text TEXT NOT NULL,
            trace_id TEXT NOT NULL,
            at TEXT NOT NULL,
            UNIQUE (conversation, message)
        );
INSERT INTO "turns" VALUES(1,1,'m1','fact','ada','question m1','standalone m1','On Tuesdays [1].','trace-m1','2026-03-01T12:00:00.000000+00:00');
INSERT INTO "turns" VALUES(2,1,'m2','ungrounded','ada','question m2','standalone m2','That is not in the documents I have.','trace-m2','2026-03-01T12:01:00.000000+00:00');
INSERT INTO "turns" VALUES(3,1,'m3','crisis','ada','','','','trace-m3','2026-03-01T12:02:00.000000+00:00');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX conversations_by_place ON conversations (place);
CREATE INDEX turns_by_time ON turns (conversation, at);
CREATE INDEX turns_by_author ON turns (author, kind, at);
COMMIT;
