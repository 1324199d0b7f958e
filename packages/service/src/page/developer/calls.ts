import type { OwnedBot, Report, Submission } from '../../people.ts'
import { call } from '../api.ts'

const at = (botId: string) => `/bots/${botId}`

/** The calls of the Developer screen, including those of staff. */
export const developerApi = {
  bots: () => call<{ bots: OwnedBot[] }>('GET', '/bots'),
  create: (bot: { username: string; display_name?: string; bio?: string }) =>
    call<{ bot: OwnedBot; token: string }>('POST', '/bots', bot),
  update: (botId: string, changes: { display_name?: string | null; bio?: string }) =>
    call<{ bot: OwnedBot }>('PATCH', at(botId), changes),
  setPicture: (botId: string, kind: 'avatar' | 'banner', file: File) => call('PUT', `${at(botId)}/${kind}`, file),
  removePicture: (botId: string, kind: 'avatar' | 'banner') => call('DELETE', `${at(botId)}/${kind}`),
  delete: (botId: string) => call('DELETE', at(botId)),
  newToken: (botId: string) => call<{ token: string }>('POST', `${at(botId)}/token`),
  testEvent: (botId: string) => call('POST', `${at(botId)}/test-event`),

  eventWebhook: (botId: string) =>
    call<{ url: string | null; secret: string | null }>('GET', `${at(botId)}/event-webhook`),
  setEventWebhook: (botId: string, url: string | null) =>
    call<{ secret: string | null }>('PUT', `${at(botId)}/event-webhook`, { url }),
  newSecret: (botId: string) => call<{ secret: string }>('POST', `${at(botId)}/event-webhook/secret`),

  submit: (botId: string, description: string) => call('POST', `${at(botId)}/submission`, { description }),
  withdraw: (botId: string) => call('DELETE', `${at(botId)}/submission`),
  submissions: () => call<{ submissions: Submission[] }>('GET', '/submissions'),
  decide: (id: string, approve: boolean, reason: string | null) =>
    call('POST', `/submissions/${id}/decision`, { approve, reason }),
  reports: () => call<{ reports: Report[] }>('GET', '/reports'),
  decideReport: (id: string, uphold: boolean) => call('POST', `/reports/${id}/decision`, { uphold }),
}
