import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { Icon } from '../components/icons.tsx'
import { memberName } from '../state/names.ts'
import { goTo } from '../state/route.ts'
import { TextField } from '../forms/field.tsx'
import { DialogForm } from '../forms/form.tsx'
import { Rows, Section } from '../forms/frame.tsx'
import { useCall } from '../forms/problem.ts'
import { person } from '../state/store.ts'
import { api } from '../state/api.ts'
import { loadOwnBots, ownBots, reviewWords, shownToken } from '../state/own-bots.ts'

function NewBot({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState('')
  const [name, setName] = useState('')
  const [bio, setBio] = useState('')
  const call = useCall('username', 'display_name', 'bio')
  const make = async () => {
    const { bot, token } = await api.bots.create({
      username: username.trim(),
      ...(name.trim() !== '' && { display_name: name.trim() }),
      ...(bio.trim() !== '' && { bio: bio.trim() }),
    })
    // The service does not return it again, even if a later call fails.
    shownToken.value = { botId: bot.id, token }
    await loadOwnBots()
    goTo({ screen: 'developer', botId: bot.id })
  }
  return (
    <DialogForm
      title="New bot"
      call={call}
      action="Create bot"
      disabled={username.trim() === ''}
      onSubmit={make}
      onClose={onClose}
    >
      <TextField
        label="Username"
        value={username}
        hint="The name that people type after @, without spaces. You cannot change it later."
        error={call.at('username')}
        onInput={setUsername}
        autofocus
      />
      <TextField
        label="Display name"
        value={name}
        placeholder={username}
        max={limits.display_name.characters}
        error={call.at('display_name')}
        onInput={setName}
      />
      <TextField
        label="About"
        rows={2}
        value={bio}
        max={limits.bio.characters}
        error={call.at('bio')}
        onInput={setBio}
      />
    </DialogForm>
  )
}

export function BotList() {
  const [making, setMaking] = useState(false)
  const bots = ownBots.value
  if (bots === undefined) return null
  const tier = person.value?.tier ?? 'free'
  const most = limits.bots_per_person[tier]
  const full = bots.length >= most
  const more = tier === 'free' ? ` The paid tier allows ${limits.bots_per_person.paid}.` : ''
  return (
    <Section
      title="Your bots"
      description={`${bots.length} of ${most} bots. You can add them to your own servers right away.`}
      actions={
        <button
          type="button"
          class="button button-primary"
          disabled={full}
          title={full ? `Your tier is limited to ${most} bots` : undefined}
          onClick={() => setMaking(true)}
        >
          New bot
        </button>
      }
    >
      {full && (
        <p class="reason">
          Your tier is limited to {most} bots. Delete one to create another.{more}
        </p>
      )}
      <Rows empty="No bots yet. Create one and copy its token into the .env file of your bot’s folder.">
        {bots.map((bot) => (
          <li key={bot.id}>
            <button type="button" class="row row-button" onClick={() => goTo({ screen: 'developer', botId: bot.id })}>
              <Avatar id={bot.id} name={memberName(bot)} url={bot.avatar_url} presence={bot.presence} />
              <span class="row-text">
                <strong>
                  {memberName(bot)} <BotTag />
                </strong>
                <span class="row-note">
                  @{bot.username} · {plural(bot.commands.length, 'command')} ·{' '}
                  {bot.presence.status === 'offline' ? 'not polling' : 'online'}
                </span>
              </span>
              <span class={`badge ${reviewWords[bot.review.state].tone}`}>{reviewWords[bot.review.state].label}</span>
              <Icon name="right" size={14} />
            </button>
          </li>
        ))}
      </Rows>
      {making && <NewBot onClose={() => setMaking(false)} />}
    </Section>
  )
}
