import * as z from 'zod'
import { Emoji, HttpsLink, text } from './fields.ts'
import { limits } from '../limits.ts'
import { ownLimits } from '../own-limits.ts'
import { actionStyles } from '../text/words.ts'

/** The message for a missing field; zod reports everything else. */
const needed = (error: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? error : undefined),
})

const face = {
  type: z.literal('button'),
  label: text(limits.button_label.characters, 1).optional(),
  emoji: Emoji.optional(),
  disabled: z.boolean().optional(),
}

const ActionButton = z.object({
  ...face,
  style: z.enum(actionStyles),
  custom_id: z
    .string(needed('a button that is not a link requires a custom_id'))
    .pipe(text(limits.button_custom_id.characters, limits.button_custom_id.min))
    .meta({ minLength: limits.button_custom_id.min, maxLength: limits.button_custom_id.characters }),
  url: z.never({ error: 'a button that is not a link must not have a url' }).optional(),
})

const LinkButton = z.object({
  ...face,
  style: z.literal('link'),
  url: z
    .string(needed('a link button requires an https url'))
    .pipe(HttpsLink)
    .meta({ format: 'uri', maxLength: ownLimits.url.characters }),
  custom_id: z.never({ error: 'a link button must not have a custom_id' }).optional(),
})

/** A button (§2, rules 1 to 4): a label or an emoji; a `custom_id` unless it is a link, an https `url` if it is one. */
export const Button = z
  .discriminatedUnion('style', [ActionButton, LinkButton], {
    error: ({ code }) => (code === 'invalid_union' ? `must be ${actionStyles.join(', ')} or link` : undefined),
  })
  .refine((button) => button.label !== undefined || button.emoji !== undefined, {
    error: 'a button requires a label or an emoji',
  })
export type Button = z.input<typeof Button>

/** A row of buttons (§2). */
export const ActionRow = z.object({
  type: z.literal('row'),
  components: z
    .array(Button)
    .min(1, { error: 'a row requires at least one button' })
    .max(limits.button_rows.buttons, { error: `a row can have at most ${limits.button_rows.buttons} buttons` }),
})
export type ActionRow = z.input<typeof ActionRow>

/** The rows of one message; every `custom_id` is unique within it. */
export const Components = z
  .array(ActionRow)
  .max(limits.button_rows.rows, { error: `a message can have at most ${limits.button_rows.rows} rows` })
  .superRefine((rows, context) => {
    const seen = new Set<string>()
    rows.forEach((row, r) =>
      row.components.forEach((button, b) => {
        const id = button.custom_id
        if (id === undefined) return
        if (seen.has(id)) {
          context.addIssue({
            code: 'custom',
            path: [r, 'components', b, 'custom_id'],
            message: 'is used by two buttons of this message; a custom_id must be unique within one message',
          })
        }
        seen.add(id)
      }),
    )
  })
