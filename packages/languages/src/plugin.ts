import { isTimezone, plugin } from '@botwright/framework'
import * as z from 'zod'
import { languageOf } from './lib/catalogue.ts'
import type { SetLanguage, Translate } from './lib/translate.ts'

export type { SetLanguage, TextKey, TextValue, Translate } from './lib/translate.ts'

declare module '@botwright/framework' {
  interface ContextAdditions {
    /** A text of `locales/<language>.json`, in the language of the user, the server or the bot. */
    t: Translate
    /** The language of the event's user, its server or the bot; pass ids to get the language of others. */
    language: (of?: { user_id?: string; server_id?: string }) => Promise<string>
    /** Sets the language of the user or the server. */
    setLanguage: SetLanguage
  }
}

/** Texts in several languages: `locales/<language>.json` in the bot's folder, `ctx.t('key', values)` in its handlers. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The language of users who have not set one. It must have every text. */
    fallback: z
      .string()
      .refine((name) => languageOf(name) !== undefined, 'must be a language tag, such as en or pt-BR')
      .overwrite((name) => languageOf(name) ?? name)
      .default('en'),
    /** The time zone of dates and times: `'Europe/Berlin'`, or the declared variable that contains it: `{ env: 'TEAM_ZONE' }`. Default: UTC. */
    timezone: z
      .union([
        z.string().refine(isTimezone, 'must be a time zone, such as Europe/Berlin'),
        z.strictObject({ env: z.string() }),
      ])
      .optional(),
  }),
  data: ['locales'],
  check: async (data, { fallback }) => (await import('./lib/check-texts.ts')).checkTexts(data, fallback),
  types: async (data, { fallback }) => (await import('./lib/text-types.ts')).textTypes(data, fallback),
})
