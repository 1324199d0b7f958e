import { endpoint, filledText, Ok, ownLimits, Reason } from '@botwright/protocol'
import * as z from 'zod'
import { ListedBot, Submission, submissionStates } from '../resources.ts'
import { spec } from '../spec.ts'

/** Publication review (§3): private, submitted, approved or sent back. */
export const submissions = {
  create: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/submission',
    spec,
    summary: "Submit one of the person's bots for review; the bot must be private or sent back",
    body: z.object({
      description: filledText(ownLimits.submission_description.characters),
    }),
    response: z.object({ submission: Submission }),
    access: 'own_bot',
  }),
  withdraw: endpoint({
    method: 'DELETE',
    path: '/bots/{bot_id}/submission',
    spec,
    summary: "Make one of the person's bots private again; servers keep it",
    response: Ok,
    access: 'own_bot',
  }),
  listed: endpoint({
    method: 'GET',
    path: '/bots/listed',
    spec,
    summary: 'List the approved bots',
    response: z.object({ bots: z.array(ListedBot) }),
  }),
  list: endpoint({
    method: 'GET',
    path: '/submissions',
    spec,
    summary: 'Staff: list the submissions, oldest first',
    query: z.object({ state: z.enum(submissionStates).optional() }),
    response: z.object({ submissions: z.array(Submission) }),
    access: 'staff',
  }),
  decide: endpoint({
    method: 'POST',
    path: '/submissions/{submission_id}/decision',
    spec,
    summary: 'Staff: approve a submission, or send it back with a reason for the owner',
    body: z
      .object({ approve: z.boolean(), reason: Reason.nullable().optional() })
      .refine(({ approve, reason }) => approve || (reason ?? '').trim() !== '', {
        error: 'must explain what the owner has to fix',
        path: ['reason'],
      }),
    response: z.object({ submission: Submission }),
    access: 'staff',
  }),
} as const
