import type { Message } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { toggleReaction } from '../../state/actions.ts'
import { EmojiPicker } from '../../components/emoji-picker.tsx'
import { Icon } from '../../components/icons.tsx'
import { nameOf } from '../../state/names.ts'
import { useTabStop } from '../../components/tab-stop.ts'

/** Emoji picker for a reaction. */
export function ReactionPicker({ message, onClose }: { message: Message; onClose: () => void }) {
  return (
    <EmojiPicker
      label="Pick a reaction"
      name={(emoji) => `React with ${emoji}`}
      onClose={onClose}
      onPick={(emoji) => {
        onClose()
        void toggleReaction(message, emoji)
      }}
    />
  )
}

const namesShown = 12
const who = (ids: readonly string[]): string =>
  ids.length > namesShown
    ? `${ids
        .slice(0, namesShown)
        .map((id) => nameOf(id))
        .join(', ')} and ${ids.length - namesShown} more`
    : ids.map((id) => nameOf(id)).join(', ')

/** The reactions on a message; a click adds or removes the person's own. */
export function Reactions({ message }: { message: Message }) {
  const [picking, setPicking] = useState(false)
  const tabIndex = useTabStop()
  if (message.reactions.length === 0) return null
  return (
    <div class="reactions" role="group" aria-label="Reactions">
      {message.reactions.map(({ emoji, count, me, user_ids }) => (
        <button
          key={emoji}
          type="button"
          class={me ? 'reaction is-mine' : 'reaction'}
          tabIndex={tabIndex}
          aria-pressed={me}
          aria-label={`${emoji} ${count}`}
          title={who(user_ids)}
          onClick={() => void toggleReaction(message, emoji)}
        >
          <span>{emoji}</span>
          <span class="reaction-count">{count}</span>
        </button>
      ))}
      <span class="reaction-more">
        <button
          type="button"
          class="reaction reaction-add"
          tabIndex={tabIndex}
          aria-label="Add another reaction"
          title="Add another reaction"
          onClick={() => setPicking(!picking)}
        >
          <Icon name="smile" size={14} />
        </button>
        {picking && <ReactionPicker message={message} onClose={() => setPicking(false)} />}
      </span>
    </div>
  )
}
