import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { memberName } from '../state/names.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Section } from '../forms/frame.tsx'
import { CopyLine, ShownOnce } from '../forms/secret.tsx'
import { api } from '../state/api.ts'
import { shownToken } from '../state/own-bots.ts'

/** The token: shown once, when it is created; afterwards it can only be replaced (§5). */
export function Token({ bot }: { bot: OwnedBot }) {
  const [asked, setAsked] = useState(false)
  const shown = shownToken.value?.botId === bot.id ? shownToken.value.token : undefined
  const env = `BOT_TOKEN=${shown}\nBOT_BASE_URL=${location.origin}/v1`
  return (
    <Section
      title="Token"
      description="Anyone with the token can act as the bot. It is shown only once."
      actions={
        <button type="button" class="button button-secondary is-danger" onClick={() => setAsked(true)}>
          New token…
        </button>
      }
    >
      {shown !== undefined && (
        <div class="card card-body once" role="group" aria-label="New token">
          <ShownOnce what="the token" />
          <CopyLine label="Token" text={shown} />
          <CopyLine label="For the bot’s .env file" text={env} multiline />
          <div class="dialog-actions">
            <button type="button" class="button button-primary" onClick={() => (shownToken.value = undefined)}>
              I have copied it
            </button>
          </div>
        </div>
      )}
      {shown === undefined && <CopyLine label="Base URL" text={`${location.origin}/v1`} />}
      {asked && (
        <Confirm
          title={`Generate a new token for ${memberName(bot)}?`}
          action="Generate token"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            shownToken.value = { botId: bot.id, token: (await api.bots.newToken({ bot_id: bot.id })).token }
          }}
        >
          <p>The current token stops working right away. A running bot is disconnected until it uses the new one.</p>
        </Confirm>
      )}
    </Section>
  )
}
