import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import type { OwnedBot } from '../../people.ts'
import { memberName } from '../names.ts'
import { FormProblem, TextField } from '../settings/field.tsx'
import { Section } from '../settings/frame.tsx'
import { PictureField } from '../settings/picture-field.tsx'
import { useCall } from '../settings/problem.ts'
import { developerApi } from './calls.ts'
import { loadOwnBots } from './own-bots.ts'

function Pictures({ bot }: { bot: OwnedBot }) {
  return (
    <div class="card card-body">
      {(['avatar', 'banner'] as const).map((kind) => (
        <PictureField
          key={kind}
          label={kind === 'avatar' ? 'Avatar' : 'Banner'}
          kind={kind}
          id={bot.id}
          name={memberName(bot)}
          url={bot[`${kind}_url`]}
          maxBytes={limits[kind].bytes}
          onSet={async (file) => {
            await developerApi.setPicture(bot.id, kind, file)
            await loadOwnBots()
          }}
          onRemove={async () => {
            await developerApi.removePicture(bot.id, kind)
            await loadOwnBots()
          }}
        />
      ))}
    </div>
  )
}

/** Pictures, display name and text of a bot. */
export function BotProfile({ bot }: { bot: OwnedBot }) {
  const [name, setName] = useState(bot.display_name ?? '')
  const [bio, setBio] = useState(bot.bio)
  const { run, busy, at, general } = useCall('display_name', 'bio')
  const same = name.trim() === (bot.display_name ?? '') && bio === bot.bio
  return (
    <Section title="Profile" description="What people see of the bot.">
      <Pictures bot={bot} />
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          void run(async () => {
            await developerApi.update(bot.id, { display_name: name.trim() === '' ? null : name.trim(), bio })
            await loadOwnBots()
          })
        }}
      >
        <div class="card-body">
          <TextField
            label="Display name"
            value={name}
            placeholder={bot.username}
            max={limits.display_name.characters}
            error={at('display_name')}
            onInput={setName}
          />
          <TextField
            label="About"
            rows={3}
            value={bio}
            max={limits.bio.characters}
            error={at('bio')}
            onInput={setBio}
          />
          <FormProblem text={general} />
        </div>
        <footer class="card-foot">
          <button type="submit" class="button button-primary" disabled={busy || same}>
            Save
          </button>
        </footer>
      </form>
    </Section>
  )
}
