import { signal } from '@preact/signals'
import type { Ephemeral } from '../../people.ts'
import { plainText } from './markdown/markdown.tsx'
import { nameOf } from '../state/names.ts'

type Spoken = Pick<Ephemeral, 'id' | 'author_id' | 'author' | 'content' | 'embeds'>
const newest = signal<Spoken | undefined>(undefined)
const longest = 160

/** Announces a new message to screen readers; of many in one frame, only the newest. `undefined` removes it. */
export const announce = (message: Spoken | undefined): void => {
  newest.value = message
}

function textOf(message: Spoken): string {
  const text = plainText(message.content) || (message.embeds[0]?.title ?? 'an embed')
  return `${nameOf(message.author_id, message.author)}: ${Array.from(text).slice(0, longest).join('')}`
}

/** The live region: announces new messages only, not the history loaded by scrolling. */
export function Announcer() {
  const message = newest.value
  return (
    <div class="visually-hidden" aria-live="polite">
      {/* A new element for each message: the same words may come twice. */}
      {message && <p key={message.id}>{textOf(message)}</p>}
    </div>
  )
}
