import type { Message } from '@botwright/protocol'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { conversationOf } from '../../lib/save-test/conversation.ts'
import { writeTest } from '../../lib/save-test/write-test.ts'
import type { World } from '../../lib/world/world.ts'
import type { BotCall, BotEvent } from '../../people.ts'
import { api } from '../state/api.ts'
import { loadOwnBots, ownBots } from '../state/own-bots.ts'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icons.tsx'
import { memberName, toTyped } from '../state/names.ts'
import { goTo } from '../state/route.ts'
import { channel, messages, overlay, place, servers, views } from '../state/store.ts'
import { attempt, copy } from '../state/toasts.ts'

interface Journal {
  events: BotEvent[]
  calls: BotCall[]
  bots: string[]
  world: World | null
}

/** How much of the conversation goes into the test, unless it starts at a chosen message. */
const spans = { last: 'Last 10 minutes', hour: 'Last hour', all: 'Everything available' } as const
type Span = keyof typeof spans
const spanMs: Record<Span, number> = { last: 10 * 60_000, hour: 60 * 60_000, all: Infinity }

const close = (): void => void (overlay.value = undefined)

/** Names the file after the first message. */
const fileName = (title: string): string => {
  const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return `${words.slice(0, 40).replaceAll(/^-+|-+$/g, '') || 'conversation'}.test.ts`
}

/** The message text with names in place of ids; unknown ids become "…". */
const titleOf = (content: string): string =>
  toTyped(content)
    .replaceAll(/<?[@#]?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}>?/gi, '…')
    .trim()

/** The people of all loaded servers. */
const peopleNames = (): Map<string, string> =>
  new Map(
    Object.values(views.value).flatMap(({ members }) =>
      members.flatMap(({ bot, user_id, username }) => (bot ? [] : [[user_id, username] as const])),
    ),
  )

/** The channels of all loaded servers. */
const channelNames = (): Map<string, { server: string; name: string }> =>
  new Map(
    Object.entries(views.value).flatMap(([serverId, { channels }]) =>
      channels.map(({ id, name }) => {
        const server = servers.value.find((each) => each.id === serverId)?.name ?? ''
        return [id, { server, name }] as const
      }),
    ),
  )

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

type SelectProps = {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}
const Select = ({ label, value, options, onChange }: SelectProps) => (
  <label>
    <span>{label}</span>
    <span class="select">
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key} selected={key === value}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="down" size={13} />
    </span>
  </label>
)

function Written({ text, name }: { text: string; name: string }) {
  return (
    <>
      <p class="save-test-note">
        Save it next to the bot’s folders, for example as <code>test/{name}</code>, and run <code>npx vitest</code>.
      </p>
      <pre class="save-test-code" tabIndex={0} aria-label="The test">
        <code>{text}</code>
      </pre>
      <div class="dialog-actions">
        <button type="button" class="button button-secondary" onClick={() => download(name, text)}>
          Download
        </button>
        <button type="button" class="button button-primary" onClick={() => void copy(text, 'Test')}>
          Copy
        </button>
      </div>
    </>
  )
}

const NoBot = () => (
  <>
    <p>A test records how one of your bots responded. You have no bots here.</p>
    <div class="dialog-actions">
      <button
        type="button"
        class="button button-primary"
        onClick={() => {
          close()
          goTo({ screen: 'developer' })
        }}
      >
        Open Developer screen
      </button>
    </div>
  </>
)

/** Creates a test from the recent conversation with one of the person's bots in the open channel. */
export function SaveTest({ from }: { from: Message | undefined }) {
  const bots = ownBots.value
  const [botId, setBotId] = useState<string>()
  const [span, setSpan] = useState<Span>('last')
  const [journal, setJournal] = useState<Journal>()
  const chosen = botId ?? bots?.find((bot) => bot.id === from?.author_id)?.id ?? bots?.[0]?.id
  useEffect(() => void attempt(loadOwnBots), [])
  useEffect(() => {
    if (chosen === undefined) return
    let current = true
    setJournal(undefined)
    void attempt(async () => {
      const [found, { world }] = await Promise.all([
        api.inspector.journal({ bot_id: chosen }),
        api.inspector.world({ bot_id: chosen }),
      ])
      if (current) setJournal({ ...found, world })
    })
    return () => void (current = false)
  }, [chosen])

  const { channelId, serverId } = place.value
  const here = channel.value?.name ?? null
  const known = messages.value[channelId ?? ''] ?? []
  const conversation = useMemo(() => {
    if (!journal || channelId === undefined) return undefined
    const newest = Math.max(0, ...journal.events.map(({ at }) => Date.parse(at)))
    const sinceMs = newest - spanMs[span]
    return conversationOf({
      ...journal,
      channelId,
      channel: here,
      // People do not join a conversation of two.
      serverId: here === null ? null : (serverId ?? null),
      messages: known,
      people: peopleNames(),
      channels: channelNames(),
      from: from ? { messageId: from.id } : { atMs: sinceMs },
    })
  }, [journal, span, from?.id, channelId, known.length])
  const title = titleOf(from?.content ?? conversation?.steps[0]?.what ?? '')
  const name = fileName(title)
  const text =
    conversation &&
    writeTest(conversation, { title: title.slice(0, 80) || 'a conversation', world: journal?.world ?? null })

  return (
    <Dialog title="Save as test" wide onClose={close}>
      <div class="save-test">
        {bots?.length === 0 ? (
          <NoBot />
        ) : (
          <>
            <div class="save-test-choice">
              {bots && bots.length > 1 && chosen !== undefined && (
                <Select
                  label="Bot"
                  value={chosen}
                  options={bots.map((bot) => [bot.id, memberName(bot)] as const)}
                  onChange={setBotId}
                />
              )}
              {!from && (
                <Select
                  label="Time range"
                  value={span}
                  options={Object.entries(spans)}
                  onChange={(value) => setSpan(value as Span)}
                />
              )}
            </div>
            {conversation?.steps.length === 0 && (
              <p>The bot received no events here in that time. Only its last 100 events are kept.</p>
            )}
            {text !== undefined && conversation!.steps.length > 0 && <Written text={text} name={name} />}
          </>
        )}
      </div>
    </Dialog>
  )
}
