import type { Message } from '@botwright/protocol'
import type { ComponentChildren } from 'preact'
import { jumpTo, openChannel } from '../../state/actions.ts'
import { attempt } from '../../state/toasts.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { authorOf, nameOf } from '../../state/names.ts'
import { place as openPlace } from '../../state/store.ts'
import { longTime } from '../../state/time.ts'

type FoundProps = {
  message: Message
  onClose: () => void
  /** Names the channel, too. */
  place?: boolean
  /** More actions beside Jump. */
  children?: ComponentChildren
}

/** A message in a panel: a search result or a pin. Jump shows it in its channel. */
export function FoundMessage({ message, onClose, place = false, children }: FoundProps) {
  const name = nameOf(message.author_id, message.author)
  const jump = () =>
    attempt(async () => {
      if (openPlace.value.channelId !== message.channel_id) {
        await openChannel(message.server_id ?? undefined, message.channel_id)
      }
      await jumpTo(message)
    })
  return (
    // The button is for keyboards and screen readers; a click anywhere else in the row does the same.
    <li
      class="pin is-clickable"
      onClick={({ target }) => {
        if ((target as Element).closest('a, button, pre') || getSelection()?.isCollapsed === false) return
        onClose()
        void jump()
      }}
    >
      <Avatar id={message.author_id} name={name} url={authorOf(message.author_id).avatar_url} size="small" />
      <div class="pin-main">
        <p class="pin-head">
          <strong dir="auto">{name}</strong> {place && <span>#{message.channel_name}</span>}{' '}
          <time dateTime={message.created_at}>{longTime(message.created_at)}</time>
        </p>
        {message.content === '' ? (message.embeds[0]?.title ?? 'an embed') : <Markdown text={message.content} />}
        <p class="pin-actions">
          <button
            type="button"
            class="link-button"
            onClick={() => {
              onClose()
              void jump()
            }}
          >
            Jump
          </button>
          {children}
        </p>
      </div>
    </li>
  )
}
