import { isTimezone, plugin } from '@botwright/framework'
import { z } from 'zod'
import { languageOf } from './lib/catalogue.ts'
import type { SetLanguage, Translate } from './lib/translate.ts'

export type { SetLanguage, TextKey, TextValue, Translate } from './lib/translate.ts'

declare module '@botwright/framework' {
  interface ContextAdditions {
    /** A text of `locales/<language>.json`, in the language of the person, of the server, or of the bot. */
    t: Translate
    /** The language of the person, of the server, or of the bot; of whom the event is about, or of whom you name. */
    language: (of?: { user_id?: string; server_id?: string }) => Promise<string>
    /** Chooses a language for the person, or for the server. */
    setLanguage: SetLanguage
  }
}

/** Texts in several languages: `locales/<language>.json` in the bot's folder, `ctx.t('key', values)` in its handlers. */
export default plugin({
  url: import.meta.url,
  options: z.strictObject({
    /** The language of those who chose none; it has every text. */
    fallback: z
      .string()
      .refine((name) => languageOf(name) !== undefined, 'must be the tag of a language, such as en or pt-BR')
      .overwrite((name) => languageOf(name) ?? name)
      .default('en'),
    /** Whose clocks dates and times are shown by: `'Europe/Berlin'`, or the declared variable that names it: `{ env: 'TEAM_ZONE' }`. Else UTC. */
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
