import { signal } from '@preact/signals'
import type { Ephemeral } from '../people.ts'
import { plainText } from './markdown.tsx'
import { nameOf } from './names.ts'

const spoken = signal('')
const longest = 160

/** Says a new message to those who listen to the page. */
export function announce(message: Pick<Ephemeral, 'author_id' | 'author' | 'content' | 'embeds'>): void {
  const text = plainText(message.content) || (message.embeds[0]?.title ?? 'a card')
  spoken.value = `${nameOf(message.author_id, message.author)}: ${Array.from(text).slice(0, longest).join('')}`
}

/** The live region: only what is new, not the history that is loaded on scrolling. */
export const Announcer = () => (
  <div class="visually-hidden" aria-live="polite">
    {spoken.value}
  </div>
)
