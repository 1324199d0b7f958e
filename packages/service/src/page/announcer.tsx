import { signal } from '@preact/signals'
import type { Ephemeral } from '../people.ts'
import { plainText } from './markdown.tsx'
import { nameOf } from './names.ts'

const spoken = signal('')
const longest = 160

/** Announces a new message to screen readers. */
export function announce(message: Pick<Ephemeral, 'author_id' | 'author' | 'content' | 'embeds'>): void {
  const text = plainText(message.content) || (message.embeds[0]?.title ?? 'an embed')
  spoken.value = `${nameOf(message.author_id, message.author)}: ${Array.from(text).slice(0, longest).join('')}`
}

/** The live region: announces new messages only, not the history loaded by scrolling. */
export const Announcer = () => (
  <div class="visually-hidden" aria-live="polite">
    {spoken.value}
  </div>
)
