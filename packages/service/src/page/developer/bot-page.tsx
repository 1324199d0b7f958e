import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { memberName } from '../state/names.ts'
import { closeScreen, goTo, inspectorShown } from '../state/route.ts'
import { inspectedBot } from '../state/inspector.ts'
import { Confirm } from '../forms/confirm.tsx'
import { TextField } from '../forms/field.tsx'
import { Rows, Section } from '../forms/frame.tsx'
import { BotProfile } from './bot-profile.tsx'
import { BotServers } from './bot-servers.tsx'
import { api } from '../state/api.ts'
import { EventDelivery } from './event-delivery.tsx'
import { loadOwnBots } from '../state/own-bots.ts'
import { Publication } from './publication.tsx'
import { Token } from './token.tsx'

const statusWords = {
  online: 'Online',
  idle: 'Idle',
  dnd: 'Do not disturb',
  offline: 'Offline: not polling for events',
}

function Head({ bot }: { bot: OwnedBot }) {
  const inspect = () => {
    inspectedBot.value = bot.id
    inspectorShown.value = true
    closeScreen()
  }
  return (
    <header class="bot-head">
      <Avatar id={bot.id} name={memberName(bot)} url={bot.avatar_url} presence={bot.presence} />
      <div class="row-text">
        <h2>
          {memberName(bot)} <BotTag />
        </h2>
        <p>
          @{bot.username} · {statusWords[bot.presence.status]}
          {bot.presence.activity ? ` · ${bot.presence.activity}` : ''}
        </p>
      </div>
      <button type="button" class="button button-secondary" onClick={inspect}>
        Inspect
      </button>
    </header>
  )
}

function Commands({ bot }: { bot: OwnedBot }) {
  return (
    <Section
      title="Commands"
      description="Registered by the bot with PUT /commands. People see them as suggestions while typing."
    >
      <Rows empty="No commands yet. The framework registers the files in the commands folder when the bot starts.">
        {bot.commands.map((command) => (
          <li key={command.name} class="row">
            <code class="command-name">/{command.name}</code>
            <div class="row-text">
              <p>{command.description}</p>
            </div>
          </li>
        ))}
      </Rows>
    </Section>
  )
}

function Delete({ bot }: { bot: OwnedBot }) {
  const [asked, setAsked] = useState(false)
  const [typed, setTyped] = useState('')
  return (
    <Section title="Delete">
      <ul class="rows rows-danger">
        <li class="row">
          <div class="row-text">
            <strong>Delete this bot</strong>
            <p>Removes it from every server and deletes its token, messages and commands.</p>
          </div>
          <button type="button" class="button button-danger" onClick={() => setAsked(true)}>
            Delete…
          </button>
        </li>
      </ul>
      {asked && (
        <Confirm
          title={`Delete ${memberName(bot)}?`}
          action="Delete bot"
          disabled={typed !== bot.username}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await api.bots.delete({ bot_id: bot.id })
            goTo({ screen: 'developer' })
            await loadOwnBots()
          }}
        >
          <p>This cannot be undone.</p>
          <TextField label={`Type ${bot.username} to confirm`} value={typed} onInput={setTyped} autofocus />
        </Confirm>
      )}
    </Section>
  )
}

/** The page of one of the person's bots. */
export function BotPage({ bot }: { bot: OwnedBot }) {
  return (
    <>
      <Head bot={bot} />
      <Token bot={bot} />
      <BotServers bot={bot} />
      <BotProfile bot={bot} />
      <Commands bot={bot} />
      <EventDelivery bot={bot} />
      <Publication bot={bot} />
      <Delete bot={bot} />
    </>
  )
}
