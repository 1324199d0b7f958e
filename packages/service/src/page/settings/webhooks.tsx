import type { Channel } from '@botwright/protocol'
import { limits } from '@botwright/protocol/limits'
import { useEffect, useState } from 'preact/hooks'
import type { OwnedChannelWebhook, ServerView } from '../../people.ts'
import { Icon } from '../components/icons.tsx'
import { onStream } from '../stream/stream.ts'
import { showError } from '../state/toasts.ts'
import { type Answer, api } from '../state/api.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Rows, Section } from '../forms/frame.tsx'
import { mayNot, type Reason } from '../state/permissions.ts'
import { NewWebhook, WebhookUrl } from './webhook-url.tsx'

type Asked = { act: 'new-url' | 'delete'; webhook: OwnedChannelWebhook }

const missingFlag = 'This server does not have channel webhooks (flag channel_webhooks)'

/** The webhooks of the text channels that the person can see; why there are none; and the function that reads them again. */
function useWebhooks(view: ServerView, texts: readonly Channel[]) {
  const serverId = view.server.id
  const [hooks, setHooks] = useState<OwnedChannelWebhook[]>()
  const [hasFlag, setHasFlag] = useState(true)
  const lacking = mayNot(view, 'manage_webhooks')
  const missing: Reason = lacking ?? (hasFlag ? undefined : missingFlag)
  const load = async () => {
    const { channel_webhooks } = (await api.settings.get({ server_id: serverId })).flags
    setHasFlag(channel_webhooks)
    if (!channel_webhooks || lacking !== undefined) return setHooks([])
    const pages = await Promise.all(texts.map((each) => api.channelWebhooks.list({ channel_id: each.id })))
    setHooks(pages.flatMap((page) => page.webhooks))
  }
  useEffect(() => {
    load().catch(showError)
    // Another person may change them at the same time.
    return onStream('channel_webhooks', ({ channel_id, server_id, webhooks }) => {
      if (server_id === serverId)
        setHooks((known) => known && [...known.filter((hook) => hook.channel_id !== channel_id), ...webhooks])
    })
  }, [serverId, lacking, texts.map(({ id }) => id).join()])
  return { hooks, missing, load }
}

type RowProps = { hook: OwnedChannelWebhook; channel: string; ask: (asked: Asked) => void }

const WebhookRow = ({ hook, channel, ask }: RowProps) => (
  <li class="row">
    <Icon name="webhook" />
    <div class="row-text">
      <strong>{hook.name}</strong>
      <p>Posts to #{channel}</p>
    </div>
    <button
      type="button"
      class="button button-secondary"
      aria-label={`New URL for ${hook.name}`}
      onClick={() => ask({ act: 'new-url', webhook: hook })}
    >
      New URL
    </button>
    <button
      type="button"
      class="button button-secondary is-danger"
      aria-label={`Delete ${hook.name}`}
      onClick={() => ask({ act: 'delete', webhook: hook })}
    >
      Delete
    </button>
  </li>
)

/** The list of the webhooks, and a newly created URL. */
export function Webhooks({ view }: { view: ServerView }) {
  const texts = view.channels.filter((each) => each.type === 'text')
  const { hooks, missing, load } = useWebhooks(view, texts)
  const [making, setMaking] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const [shown, setShown] = useState<Answer<typeof api.channelWebhooks.create>>()
  if (hooks === undefined) return null
  const confirmed = async ({ act, webhook }: Asked) => {
    const one = { webhook_id: webhook.id }
    if (act === 'delete') await api.channelWebhooks.delete(one)
    else setShown(await api.channelWebhooks.newUrl(one))
    if (act === 'delete' && shown?.webhook.id === webhook.id) setShown(undefined)
    await load()
  }
  return (
    <Section
      title="Webhooks"
      description={`A secret URL that posts to one channel without a bot. Up to ${limits.channel_webhooks.per_channel} per channel.`}
      actions={
        <button
          type="button"
          class="button button-primary"
          disabled={missing !== undefined}
          title={missing}
          onClick={() => setMaking(true)}
        >
          New webhook
        </button>
      }
    >
      {missing !== undefined && <p class="reason">{missing}.</p>}
      {shown && <WebhookUrl name={shown.webhook.name} url={shown.url} onDone={() => setShown(undefined)} />}
      <Rows empty="No webhooks yet. Create one and post to its URL from a script, a build or another service.">
        {hooks.map((hook) => {
          const channel = texts.find((each) => each.id === hook.channel_id)?.name ?? 'a channel'
          return <WebhookRow key={hook.id} hook={hook} channel={channel} ask={setAsked} />
        })}
      </Rows>
      {making && (
        <NewWebhook
          channels={texts}
          onClose={() => setMaking(false)}
          onMade={async (made) => {
            setShown(made)
            await load()
          }}
        />
      )}
      {asked && (
        <Confirm
          title={
            asked.act === 'delete'
              ? `Delete the webhook ${asked.webhook.name}?`
              : `Generate a new URL for ${asked.webhook.name}?`
          }
          action={asked.act === 'delete' ? 'Delete' : 'Generate URL'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => confirmed(asked)}
        >
          <p>Anything that posts to the current URL stops working right away.</p>
        </Confirm>
      )}
    </Section>
  )
}
