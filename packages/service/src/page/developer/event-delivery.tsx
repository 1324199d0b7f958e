import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { Confirm } from '../forms/confirm.tsx'
import { FormProblem, TextField } from '../forms/field.tsx'
import { CardForm } from '../forms/form.tsx'
import { Section } from '../forms/frame.tsx'
import { useCall } from '../forms/problem.ts'
import { CopyLine } from '../forms/secret.tsx'
import { toast } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { loadOwnBots } from '../state/own-bots.ts'

function TestEvent({ bot }: { bot: OwnedBot }) {
  const { run, busy, general } = useCall()
  const polls = bot.presence.status !== 'offline'
  return (
    <ul class="rows">
      <li class="row">
        <div class="row-text">
          <strong>Test event</strong>
          <p>
            {general ??
              (polls || bot.event_webhook_url !== null
                ? 'Sends the bot an event of type test.'
                : 'The bot is offline. It receives the event if it polls within a day.')}
          </p>
        </div>
        <button
          type="button"
          class="button button-secondary"
          disabled={busy}
          onClick={() =>
            void run(async () => {
              await api.bots.testEvent({ bot_id: bot.id })
              toast('Test event sent.', 'note')
            })
          }
        >
          Send test event
        </button>
      </li>
    </ul>
  )
}

/** The webhook secret, in an "Advanced" section (§5.8). */
function Secret({ bot }: { bot: OwnedBot }) {
  const [secret, setSecret] = useState<string>()
  const [asked, setAsked] = useState(false)
  const { run, busy, general } = useCall()
  return (
    <details class="card card-body advanced">
      <summary>Advanced: webhook secret</summary>
      <p class="field-hint">
        Each delivery has the header X-Service-Signature: sha256= followed by the HMAC of the raw body, keyed with this
        secret. Verify it before you trust a request.
      </p>
      {secret !== undefined && <CopyLine label="Secret" text={secret} />}
      <FormProblem text={general} />
      <div class="button-pair">
        {secret === undefined && (
          <button
            type="button"
            class="button button-secondary"
            disabled={busy}
            onClick={() =>
              void run(async () => setSecret((await api.bots.getEventWebhook({ bot_id: bot.id })).secret ?? undefined))
            }
          >
            Show secret
          </button>
        )}
        <button type="button" class="button button-secondary is-danger" onClick={() => setAsked(true)}>
          New secret…
        </button>
      </div>
      {asked && (
        <Confirm
          title="Generate a new secret?"
          action="Generate secret"
          onClose={() => setAsked(false)}
          onConfirm={async () => setSecret((await api.bots.newEventWebhookSecret({ bot_id: bot.id })).secret)}
        >
          <p>Deliveries use the new secret right away. Receivers that still use the old one will reject them.</p>
        </Confirm>
      )}
    </details>
  )
}

/** Whether a URL works on this machine only. */
const isLocal = (url: string): boolean => /^http:\/\/(localhost|127\.|\[::1\])/.test(url)

/** Test event and event webhook. */
export function EventDelivery({ bot }: { bot: OwnedBot }) {
  const [url, setUrl] = useState(bot.event_webhook_url ?? '')
  const call = useCall('url')
  const set = async (wanted: string | null) => {
    await api.bots.setEventWebhook({ bot_id: bot.id, url: wanted })
    setUrl(wanted ?? '')
    await loadOwnBots()
  }
  const saved = bot.event_webhook_url
  return (
    <Section
      title="Events"
      description="Bots poll for events. Set a URL to receive the same events as HTTP POST requests, too."
    >
      <TestEvent bot={bot} />
      <CardForm
        call={call}
        disabled={url.trim() === (saved ?? '')}
        onSubmit={() => set(url.trim() === '' ? null : url.trim())}
        otherActions={
          saved !== null && (
            <button
              type="button"
              class="button button-secondary is-danger"
              disabled={call.busy}
              onClick={() => void call.run(() => set(null))}
            >
              Remove webhook
            </button>
          )
        }
      >
        <TextField
          label="Event webhook URL"
          type="url"
          value={url}
          placeholder="https://bot.example.com/events"
          error={call.at('url')}
          hint={`A public https URL. It has ${limits.event_webhook_delivery.seconds} s to respond; failed deliveries are not retried.`}
          onInput={setUrl}
        />
        {saved !== null && isLocal(saved) && (
          <p class="notice notice-amber">
            This URL works on this machine only. The real service accepts only public https URLs and responds to this
            one with 400.
          </p>
        )}
      </CardForm>
      {saved !== null && <Secret bot={bot} />}
    </Section>
  )
}
