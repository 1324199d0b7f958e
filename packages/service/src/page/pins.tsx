import type { Message } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import { jumpTo, setPinned } from './actions.ts'
import { api } from './api.ts'
import { Avatar } from './avatar.tsx'
import { Icon } from './icons.tsx'
import { Markdown } from './markdown.tsx'
import { rightsOn } from './message-actions.tsx'
import { authorOf, nameOf } from './names.ts'
import { Popover } from './popover.tsx'
import { messages, place, putAuthors } from './store.ts'
import { attempt } from './toasts.tsx'
import { longTime } from './time.ts'

function Pin({ message, onClose }: { message: Message; onClose: () => void }) {
  const name = nameOf(message.author_id, message.author)
  return (
    <li class="pin">
      <Avatar id={message.author_id} name={name} url={authorOf(message.author_id).avatar_url} size="small" />
      <div class="pin-main">
        <p class="pin-head">
          <strong>{name}</strong> <time dateTime={message.created_at}>{longTime(message.created_at)}</time>
        </p>
        {message.content === '' ? (message.embeds[0]?.title ?? 'an embed') : <Markdown text={message.content} />}
        <p class="pin-actions">
          <button
            type="button"
            class="link-button"
            onClick={() => {
              onClose()
              void jumpTo(message)
            }}
          >
            Jump
          </button>
          {rightsOn(message).pin && (
            <button type="button" class="link-button" onClick={() => void setPinned(message, false)}>
              Unpin
            </button>
          )}
        </p>
      </div>
    </li>
  )
}

/** The pinned messages of the open channel. */
export function PinsPanel({ onClose }: { onClose: () => void }) {
  const channelId = place.value.channelId ?? ''
  const [pins, setPins] = useState<Message[]>()
  // Reload the list when a loaded message is pinned or unpinned while the panel is open.
  const loaded = (messages.value[channelId] ?? []).filter((each) => each.pinned).map((each) => each.id)
  useEffect(() => {
    void attempt(async () => {
      const page = await api.pins(channelId)
      putAuthors(page.authors)
      setPins(page.messages)
    })
  }, [channelId, loaded.join()])
  return (
    <Popover label="Pinned messages" class="panel-popover" onClose={onClose}>
      <h3 class="panel-title">Pinned messages</h3>
      {pins?.length === 0 && (
        <p class="panel-empty">
          <Icon name="pin" size={20} />
          No pinned messages. Members with Manage messages can pin one from its “More” menu.
        </p>
      )}
      <ul>
        {pins?.map((each) => (
          <Pin key={each.id} message={each} onClose={onClose} />
        ))}
      </ul>
    </Popover>
  )
}
