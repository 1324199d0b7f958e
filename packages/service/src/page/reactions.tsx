import type { Message } from '@botwright/protocol'
import { useEffect, useRef } from 'preact/hooks'
import { toggleReaction } from './actions.ts'
import { nameOf } from './names.ts'

const choices = ['👍', '❤️', '😂', '🎉', '🔥', '👀', '✅', '❌', '🚀', '🤔', '😮', '😢', '🙏', '💯', '👎', '🤖']

/** A small grid of emoji; closes on Esc and on a click elsewhere. */
export function ReactionPicker({ onPick, onClose }: { onPick: (emoji: string) => void; onClose: () => void }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    ref.current?.querySelector('button')?.focus()
    const outside = (event: Event) => !ref.current?.contains(event.target as Node) && onClose()
    const escape = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
    document.addEventListener('pointerdown', outside)
    document.addEventListener('keydown', escape)
    return () => {
      document.removeEventListener('pointerdown', outside)
      document.removeEventListener('keydown', escape)
    }
  }, [])
  return (
    <div ref={ref} class="picker" role="dialog" aria-label="Pick a reaction">
      {choices.map((emoji) => (
        <button key={emoji} type="button" aria-label={`React with ${emoji}`} onClick={() => onPick(emoji)}>
          {emoji}
        </button>
      ))}
    </div>
  )
}

/** The reactions on a message; a press adds or takes back the own one. */
export function Reactions({ message }: { message: Message }) {
  if (message.reactions.length === 0) return null
  return (
    <div class="reactions" aria-label="Reactions">
      {message.reactions.map(({ emoji, count, me, user_ids }) => (
        <button
          key={emoji}
          type="button"
          class={me ? 'reaction is-mine' : 'reaction'}
          aria-pressed={me}
          aria-label={`${emoji} ${count}`}
          title={user_ids.map((id) => nameOf(id)).join(', ')}
          onClick={() => void toggleReaction(message, emoji)}
        >
          <span>{emoji}</span>
          <span class="reaction-count">{count}</span>
        </button>
      ))}
    </div>
  )
}
