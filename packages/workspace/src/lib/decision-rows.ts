/** Who has to hold to a row: the local service, proved over HTTP, or the client and the runtime. */
export type Side = 'service' | 'client'

/** One open point of the specification that the project decided: its number, what it is about, and who has to hold to it. */
export interface DecisionRow {
  row: number
  subject: string
  sides: readonly Side[]
}

const both: readonly Side[] = ['service', 'client']
const service: readonly Side[] = ['service']
const row = (number: number, subject: string, sides = both): DecisionRow => ({ row: number, subject, sides })

/** Every row of the decisions on open points. Those of the service alone say so; all others bind the client too. */
export const decisionRows: readonly DecisionRow[] = [
  row(1, 'the success object'),
  row(2, 'the answer to an uploaded picture'),
  row(3, '100 commands, and care above 50'),
  row(4, 'args of a command are one text'),
  row(5, 'the author of an event is a username'),
  row(6, 'a message comes bare'),
  row(7, 'a channel comes wrapped'),
  row(8, 'a page of messages carries its authors once each'),
  row(9, 'the fields of a server'),
  row(10, 'the fields of a role and the names of permissions'),
  row(11, 'the fields of a member, and of one alone'),
  row(12, 'the fields of a ban'),
  row(13, 'the fields of a reaction'),
  row(14, 'the fields of a public profile'),
  row(15, 'the answers to moderation'),
  row(16, 'wait left out or out of range'),
  row(17, 'after above the newest id'),
  row(18, 'after older than what is kept'),
  row(19, 'ids of events are one sequence over all bots'),
  row(20, 'the body of an event webhook'),
  row(21, 'the path token alone authorises an answer'),
  row(22, 'an answer too late, or with an unknown token'),
  row(23, 'the eleventh answer'),
  row(24, 'the same message twice'),
  row(25, 'embeds over a limit'),
  row(26, 'hosts of embed pictures'),
  row(27, 'slowmode and read-only channels bind bots'),
  row(28, 'moderation needs a higher role'),
  row(29, 'paths and methods that do not exist'),
  row(30, 'bodies that are not JSON or too large'),
  row(31, 'content rules and their bans'),
  row(32, 'faults of the service'),
  row(33, 'several programs polling with one token'),
  row(34, 'a reply to a message that is not there'),
  row(35, 'ids start above 1, and after=0 answers at once'),
  row(36, 'which role is higher, and what may be handed out'),
  row(37, 'who is a manager', service),
  row(38, 'permissions of the bans list and of categories'),
  row(39, 'queries out of range'),
  row(40, 'sliding windows, and what shares them'),
  row(41, 'deleted and skipped are lists of ids'),
  row(42, 'an edit that leaves nothing'),
  row(43, 'components on ephemeral and ack'),
  row(44, 'refusals of channel webhooks'),
  row(45, 'what a character and a megabyte are'),
  row(46, 'own uploads as pictures', service),
  row(47, 'flags of a server'),
  row(48, 'CORS', service),
  row(49, 'refusals without a number of their own'),
  row(50, 'the length of URLs'),
  row(51, 'the length of names'),
  row(52, 'the length of command descriptions'),
  row(53, 'the length of reasons and of submissions', service),
]
