import { endpoint, filledText, Id, ownLimits } from '@botwright/protocol'
import * as z from 'zod'
import { Report, reportStates } from '../resources.ts'
import { spec } from '../spec.ts'

/** Messages reported for breaking the content rules (§1), and the decisions of staff. */
export const reports = {
  create: endpoint({
    method: 'POST',
    path: '/reports',
    spec,
    summary: 'Report a message that breaks the content rules; a second report by the same person replaces the first',
    body: z.object({
      message_id: Id,
      reason: filledText(ownLimits.reason.characters),
    }),
    response: z.object({ report: Report }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/reports',
    spec,
    summary: 'Staff: list the reports, oldest first',
    query: z.object({ state: z.enum(reportStates).optional() }),
    response: z.object({ reports: z.array(Report) }),
    access: 'staff',
  }),
  decide: endpoint({
    method: 'POST',
    path: '/reports/{report_id}/decision',
    spec,
    summary: 'Staff: uphold a report, which deletes the message and counts a violation for its author, or dismiss it',
    body: z.object({ uphold: z.boolean() }),
    response: z.object({ report: Report }),
    access: 'staff',
  }),
} as const
