import { expect, test } from 'vitest'
import type { ButtonContext } from '../../index.ts'
import { button, command, embed, oneOf, row, uuid } from '../../index.ts'

// What a newcomer writes wrong does not compile; what it is about stands behind each line.

const vote = button({ params: { poll: uuid(), choice: oneOf('yes', 'no') }, run: () => undefined })
const x = { label: 'x' }

test('mistakes are seen before the bot runs', () => {
  const never = (): void => {
    // @ts-expect-error Type '"maybe"' is not assignable to type '"yes" | "no"'
    vote.button({ poll: '', choice: 'maybe' }, x)
    // @ts-expect-error Property 'choice' is missing
    vote.button({ poll: '' }, x)
    // @ts-expect-error Property 'run' is missing in type '{ description: string; }' but required in type 'CommandOptions<…>'
    command({ description: 'x' })
    // @ts-expect-error Property 'run' is missing
    button({ params: { poll: uuid() } })
    // @ts-expect-error 'custom_id' does not exist in type 'LinkFace<"https://example.com">'
    button.link({ label: 'x', url: 'https://example.com', custom_id: 'x' })
    // @ts-expect-error Type '"http://example.com"' is not assignable to type '"must begin with https://"'
    button.link({ label: 'x', url: 'http://example.com' })
    // @ts-expect-error neither a label nor an emoji
    vote.button({ poll: '', choice: 'yes' }, { style: 'primary' })
    // @ts-expect-error Type '"link"' is not assignable to type '"primary" | "secondary" | "success" | "danger"'
    vote.button({ poll: '', choice: 'yes' }, { label: 'x', style: 'link' })
    const one = button.link({ label: 'x', url: 'https://example.com' })
    // @ts-expect-error Argument of type 'Button' is not assignable to … "a row takes at most 5 buttons: begin another row(…)"
    row(one, one, one, one, one, one)
    // @ts-expect-error Type '"red"' is not assignable to type 'number | `#${string}`'
    embed({ title: 'x', color: 'red' })
    const answer = (ctx: ButtonContext) =>
      // @ts-expect-error 'components' does not exist in type 'OutgoingEphemeral'
      ctx.ephemeral({ content: 'x', components: [row(one)] })
    void answer
  }
  expect(never).toBeTypeOf('function')
})
