"""The English words that the follow-up rules go by: which can carry a topic, and which cannot."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = _words("a an the")
QUESTION_WORDS = _words("what which who whom whose when where why how")
AUXILIARIES = _words(
    """
    am are aren't be been being can can't could couldn't did didn't do does doesn't doing don't done had has have
    having how's is isn't it's may might must shall should shouldn't that's there's was wasn't were weren't what's
    when's where's who's will won't would wouldn't
    """
)
PREPOSITIONS = _words(
    """
    about after against among around as at before behind between by despite during for from in inside into like near of
    off on onto out over per regarding since than through throughout till to toward towards under until up upon versus
    via with within without
    """
)
PRONOUNS = _words(
    """
    anybody anyone anything everybody everyone everything he her hers him his i it its itself me mine my myself nothing
    one ones our ours people person she somebody someone something that their theirs them themselves these they this
    those us we you your yours yourself
    """
)
SMALL_WORDS = _words(
    """
    again all already also and another any because bit both but each either else even ever every few hello here hi if
    just least less lot lots many more most much neither never no nor not now ok okay only or other others please
    really s same so some still such t thank thanks then there thing things too very way ways well yes
    """
)
FUNCTION = ARTICLES | QUESTION_WORDS | AUXILIARIES | PREPOSITIONS | PRONOUNS | SMALL_WORDS
"""Words that never carry a topic."""

ASPECT_NOUNS = _words(
    """
    advice approach approaches aspect aspects basics benefit benefits cause causes chance chances change changes clue
    complication complications cons consequence consequences cost costs danger dangers definition detail details
    diagnosis difference differences dosage dose doses downside downsides drawback drawbacks duration effect effects
    exam examination examinations example examples exams expectancy experience explanation fact factor factors facts
    families family fee fees form forms frequency gene genes guidance guideline guidelines history idea importance
    incidence information inheritance kind kinds life long longer management meaning mortality name names number option
    options origin outcome outcomes outlook part parts pattern point possibilities possibility precaution precautions
    prevalence prevention price prices problem problems prognosis pros purpose question questions reason reasons
    recommendation recommendations recovery research result results risk risks role rule rules run safety screening
    severity side sign signs source sources stage stages step steps studies study survival symptom symptoms term test
    tests therapies therapy topic treatment treatments trial trials trigger triggers type types use uses
    """
)
"""What can be asked of any topic."""

PREDICATES = _words(
    """
    affect affected affects allowed answer available avoid avoided bad best better big bring brings called caused
    causing clinical closed closes come comes common commonly compare compared consuming contagious contract curable
    cure cured cures current currently dangerous deal deals describe detect detected develop developed develops diagnose
    diagnosed different discover discovered dominant done drinking early eating effective end ends exactly exist exists
    expect explain fast fatal find frequently general generally genetic get gets getting give given gives go goes good
    happen happened happening happens harmful having help helpful helps hereditary hurt hurts important improve
    infectious inherit inherited interesting involved kill know known last lasts late latest lead leads learn like
    likely look looks made main make makes managing mean means mention mentioned need needed needs new normal occur
    occurs offered often open opened opens other ought painful passed possible prevent preventable prevented quick
    quickly rare recent recognise recognize recommend recommended reduce related required safe say second see seen sense
    serious severe show shows spread spreads start started starts stop studied suffer suffering suitable take taken
    takes taking talk tell tested think treat treatable treated treating try understand understood used useful using
    usual usually want wanted wonder work works worse worst wrong
    """
)
"""Verbs and adjectives that say something of any topic, and may stand after it."""

GENERAL = FUNCTION | ASPECT_NOUNS | PREDICATES
"""Words that a question may hold without having a topic of its own."""

PURSUITS = _words("drink drive eat exercise rest sleep")
"""Verbs for what anyone does: said of "I" or "we", they are asked about with a topic in mind, and are none."""

VERBS_TOO = frozenset({"fast"})
"""Said of any topic, unless someone does it: "how fast does it spread", "do I need to fast"."""

MARKED = _words("category class grade group level phase stage step tier type")
"""Nouns that name something by a number or letter behind them: "type 2", "stage IV"."""

FARE = _words("drinks exercises food foods meals")
"""What such verbs are about: after "which" or "what", as little of a topic."""

KINDS = _words(
    """
    appointment clinic condition conditions course disease diseases disorder drug drugs event form illness infection
    infections injection jab leaflet medication medications medicine medicines operation policy procedure programme
    service surgery syndrome vaccination vaccine virus ward
    """
)
"""Nouns that name a topic again by its kind: "this vaccine", "the disease"."""

GROUPS = _words(
    """
    adolescents adult adults age aged babies baby boys breastfeeding brother child children daughter day days elderly
    father females girls guests husband immunocompromised infant infants kids males men month months mother mothers
    newborns old older parents partner pensioners pregnancy pregnant relatives seniors sister smokers son staff
    students teenagers teens toddlers visitors volunteers week weeks wife women year years young younger
    """
)
"""Words for whom, or in which state of life, a question is asked."""

OCCASIONS = _words(
    """
    afternoon afternoons april august autumn christmas december easter eve evening evenings february friday fridays
    holiday holidays january july june march monday mondays morning mornings next night nights november october
    saturday saturdays september spring summer sunday sundays thursday thursdays today tomorrow tonight tuesday tuesdays
    wednesday wednesdays weekday weekdays weekend weekends winter
    """
)
"""Words for when a question is asked. May is none: it is mostly a verb."""

DETERMINERS = ARTICLES | _words("my your our his her its their this that these those")
"""What may stand before a topic and gives way with it."""

ADDED = frozenset({"the", "of", "for", "on", "about"})
"""The only words that a rewriting may hold and neither question does."""

ELSEWHERE_SMALL = _words(
    """
    y o de del la el los las un una en con por para que es al se le les des du et au aux une est pour dans der das den
    dem und ist sind für von mit im zu wie ein eine os da dos em com um uma não é il lo gli di della per è het een van
    voor met
    """
)
"""Words of other languages that a rewriting in them may need, and that name nothing in any."""
