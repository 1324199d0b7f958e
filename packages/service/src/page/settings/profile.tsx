import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import { memberName } from '../names.ts'
import { person } from '../store.ts'
import { type Theme, theme } from '../theme.ts'
import { settingsApi } from './calls.ts'
import { FormProblem, Switch, TextField } from './field.tsx'
import { Frame, Section } from './frame.tsx'
import { PictureField } from './picture-field.tsx'
import { useCall } from './problem.ts'

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

function ProfileForm() {
  const self = person.value!
  const [name, setName] = useState(self.display_name ?? '')
  const [bio, setBio] = useState(self.bio)
  const { run, busy, at, general } = useCall('display_name', 'bio')
  const same = name.trim() === (self.display_name ?? '') && bio === self.bio
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        void run(async () => {
          const display_name = name.trim() === '' ? null : name.trim()
          person.value = (await settingsApi.profile({ display_name, bio })).person
        })
      }}
    >
      <div class="card-body">
        <TextField
          label="Display name"
          value={name}
          placeholder={self.username}
          max={limits.display_name.characters}
          error={at('display_name')}
          hint={`Empty shows your username, ${self.username}.`}
          onInput={setName}
        />
        <TextField
          label="About you"
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
  )
}

/** Profile, privacy and appearance of the person itself. */
export function Profile() {
  const self = person.value
  const { run, general } = useCall()
  if (!self) return null
  return (
    <Frame
      title="Profile"
      subtitle={`@${self.username}`}
      tabs={[{ id: 'profile', label: 'Profile and privacy' }]}
      current="profile"
      onTab={() => {}}
    >
      <Section title="Profile" description="What others see of you.">
        <div class="card card-body">
          <PictureField
            label="Avatar"
            kind="avatar"
            id={self.id}
            name={memberName(self)}
            url={self.avatar_url}
            maxBytes={limits.avatar.bytes}
            onSet={async (file) => {
              await settingsApi.setAvatar(file)
              person.value = (await settingsApi.me()).person
            }}
            onRemove={async () => {
              await settingsApi.removeAvatar()
              person.value = (await settingsApi.me()).person
            }}
          />
        </div>
        <ProfileForm />
      </Section>
      <Section title="Privacy">
        <div class="card card-body">
          <Switch
            label="Accept direct messages"
            hint="Off: people and bots cannot open new direct messages with you. Those that are open stay."
            checked={self.accepts_dms}
            error={general}
            onChange={(accepts_dms) =>
              run(async () => {
                person.value = (await settingsApi.profile({ accepts_dms })).person
              })
            }
          />
        </div>
      </Section>
      <Section title="Appearance">
        <fieldset class="card card-body segmented-field">
          <legend class="hidden-label">Theme</legend>
          <div class="segmented">
            {themes.map(({ value, label }) => (
              <label key={value}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme.value === value}
                  onChange={() => (theme.value = value)}
                />
                <span>{label}</span>
              </label>
            ))}
          </div>
        </fieldset>
      </Section>
    </Frame>
  )
}
