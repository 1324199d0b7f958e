import type { Message } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import { setPinned } from '../../state/actions.ts'
import { api } from '../../state/api.ts'
import { FoundMessage } from './found-message.tsx'
import { Icon } from '../../components/icons.tsx'
import { rightsOn } from '../messages/message-actions.tsx'
import { Popover } from '../../components/popover.tsx'
import { isOnline, messages, place, putAuthors } from '../../state/store.ts'
import { attempt } from '../../state/toasts.ts'
import { useFetched } from '../../stream/use-fetched.ts'

/** The pinned messages of the open channel. */
export function PinsPanel({ onClose }: { onClose: () => void }) {
  const channelId = place.value.channelId ?? ''
  const [pins, setPins] = useState<Message[]>()
  // Reload the list when a loaded message is pinned or unpinned while the panel is open.
  const loaded = (messages.value[channelId] ?? []).filter((each) => each.pinned).map((each) => each.id)
  const online = isOnline.value
  useEffect(() => {
    if (!online) return
    void attempt(async () => {
      const page = await api.messages.pins({ channel_id: channelId })
      putAuthors(page.authors)
      setPins(page.messages)
    })
  }, [channelId, loaded.join(), online])
  useFetched((changed) =>
    setPins((known) => known?.flatMap((each) => changed(each) ?? []).filter(({ pinned }) => pinned)),
  )
  return (
    <Popover label="Pinned messages" class="panel-popover" onClose={onClose}>
      <h2 class="panel-title">Pinned messages</h2>
      {pins?.length === 0 && (
        <p class="panel-empty">
          <Icon name="pin" size={20} />
          No pinned messages. Members with Manage messages can pin one from its “More” menu.
        </p>
      )}
      <ul>
        {pins?.map((each) => (
          <FoundMessage key={each.id} message={each} onClose={onClose}>
            {rightsOn(each).pin && (
              <button type="button" class="link-button" onClick={() => void setPinned(each, false)}>
                Unpin
              </button>
            )}
          </FoundMessage>
        ))}
      </ul>
    </Popover>
  )
}
