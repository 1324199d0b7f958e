/** The sides that implement a row: the local service, tested over HTTP, or the client and the runtime. */
export type Side = 'service' | 'client'

/** One open point of the specification that the project decided: its number, its subject and the sides that implement it. */
export interface DecisionRow {
  row: number
  subject: string
  sides: readonly Side[]
}

const both: readonly Side[] = ['service', 'client']
const service: readonly Side[] = ['service']
const row = (number: number, subject: string, sides = both): DecisionRow => ({ row: number, subject, sides })

/** Every row of the decisions on open points. Rows apply to service and client, unless marked as the service's. */
export const decisionRows: readonly DecisionRow[] = [
  row(1, 'the success object'),
  row(2, 'the response to an uploaded picture'),
  row(3, '100 commands, with a warning above 50'),
  row(4, 'args of a command are one text'),
  row(5, 'the author of an event is a username'),
  row(6, 'a message is not wrapped'),
  row(7, 'a channel is wrapped'),
  row(8, 'a page of messages contains each author once'),
  row(9, 'the fields of a server'),
  row(10, 'the fields of a role and the names of permissions'),
  row(11, 'the fields of a member in a list and alone'),
  row(12, 'the fields of a ban'),
  row(13, 'the fields of a reaction'),
  row(14, 'the fields of a public profile'),
  row(15, 'the responses to moderation'),
  row(16, 'wait missing or out of range'),
  row(17, 'after above the newest id'),
  row(18, 'after older than the stored events'),
  row(19, 'one sequence of event ids for all bots'),
  row(20, 'the body of an event webhook'),
  row(21, 'only the path token authorizes an answer'),
  row(22, 'an answer too late, or with an unknown token'),
  row(23, 'the eleventh answer'),
  row(24, 'the same message twice'),
  row(25, 'embeds over a limit'),
  row(26, 'hosts of embed pictures'),
  row(27, 'slowmode and read-only channels apply to bots'),
  row(28, 'moderation requires a higher role'),
  row(29, 'paths and methods that do not exist'),
  row(30, 'bodies that are not JSON or too large'),
  row(31, 'content rules and their bans'),
  row(32, 'faults of the service'),
  row(33, 'several programs polling with one token'),
  row(34, 'a reply to a missing message'),
  row(35, 'ids start above 1, and after=0 responds at once'),
  row(36, 'the order of roles, and which ones may be assigned'),
  row(37, 'the definition of a manager', service),
  row(38, 'permissions of the bans list and of categories'),
  row(39, 'queries out of range'),
  row(40, 'sliding windows, and the calls that share them'),
  row(41, 'deleted and skipped are lists of ids'),
  row(42, 'an edit that leaves no content'),
  row(43, 'components on ephemeral and ack'),
  row(44, 'refusals of channel webhooks'),
  row(45, 'the units character and megabyte'),
  row(46, 'own uploads as pictures', service),
  row(47, 'flags of a server'),
  row(48, 'CORS', service),
  row(49, 'refusals without their own number'),
  row(50, 'the place of a limit'),
  row(51, 'replies to clicks in read-only and slow channels', service),
  row(52, 'ids in upper case'),
  row(53, 'emoji and letters in several forms'),
  row(54, 'timeouts of members who leave', service),
  row(55, 'reports and bans of webhook posts', service),
  row(56, 'values of time', service),
]
