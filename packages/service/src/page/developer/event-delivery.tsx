import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { Confirm } from '../settings/confirm.tsx'
import { FormProblem, TextField } from '../settings/field.tsx'
import { Section } from '../settings/frame.tsx'
import { useCall } from '../settings/problem.ts'
import { CopyLine } from '../settings/secret.tsx'
import { toast } from '../toasts.tsx'
import { developerApi } from './calls.ts'
import { loadOwnBots } from './own-bots.ts'

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
                ? 'Gives the bot an event of the type test.'
                : 'The bot is offline: it gets the event when it polls next, within a day.')}
          </p>
        </div>
        <button
          type="button"
          class="button button-secondary"
          disabled={busy}
          onClick={() =>
            void run(async () => {
              await developerApi.testEvent(bot.id)
              toast('The test event is sent.', 'note')
            })
          }
        >
          Send test event
        </button>
      </li>
    </ul>
  )
}

/** The secret, under an advanced heading (§5.8). */
function Secret({ bot }: { bot: OwnedBot }) {
  const [secret, setSecret] = useState<string>()
  const [asked, setAsked] = useState(false)
  const { run, busy, general } = useCall()
  return (
    <details class="advanced">
      <summary>Advanced: the secret that signs the deliveries</summary>
      <p class="field-hint">
        Each delivery carries X-Service-Signature: sha256= and the HMAC of the raw body, keyed with this secret. Check
        it before you trust a request.
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
              void run(async () => setSecret((await developerApi.eventWebhook(bot.id)).secret ?? undefined))
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
          title="New secret?"
          action="Make a new secret"
          onClose={() => setAsked(false)}
          onConfirm={async () => setSecret((await developerApi.newSecret(bot.id)).secret)}
        >
          <p>Deliveries are signed with the new secret at once; a receiver with the old one refuses them.</p>
        </Confirm>
      )}
    </details>
  )
}

/** Whether an address works on this machine only. */
const isLocal = (url: string): boolean => /^http:\/\/(localhost|127\.|\[::1\])/.test(url)

/** Test event and event webhook. */
export function EventDelivery({ bot }: { bot: OwnedBot }) {
  const [url, setUrl] = useState(bot.event_webhook_url ?? '')
  const { run, busy, at, general } = useCall('url')
  const set = (wanted: string | null) =>
    run(async () => {
      await developerApi.setEventWebhook(bot.id, wanted)
      setUrl(wanted ?? '')
      await loadOwnBots()
    })
  const saved = bot.event_webhook_url
  return (
    <Section
      title="Events"
      description="A bot polls for its events. Optionally the same events are also posted to an address of yours."
    >
      <TestEvent bot={bot} />
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          void set(url.trim() === '' ? null : url.trim())
        }}
      >
        <div class="card-body">
          <TextField
            label="Event webhook URL"
            type="url"
            value={url}
            placeholder="https://bot.example.com/events"
            error={at('url')}
            hint={`A public https address. It has ${limits.event_webhook_delivery.seconds} s to answer; nothing is sent twice.`}
            onInput={setUrl}
          />
          {saved !== null && isLocal(saved) && (
            <p class="notice notice-amber">
              This address works on this machine only: the real service takes public https addresses and answers 400 to
              this one.
            </p>
          )}
          <FormProblem text={general} />
          {saved !== null && <Secret bot={bot} />}
        </div>
        <footer class="card-foot">
          {saved !== null && (
            <button
              type="button"
              class="button button-secondary is-danger"
              disabled={busy}
              onClick={() => void set(null)}
            >
              Remove webhook
            </button>
          )}
          <span class="grow" />
          <button type="submit" class="button button-primary" disabled={busy || url.trim() === (saved ?? '')}>
            Save
          </button>
        </footer>
      </form>
    </Section>
  )
}
