import { limits } from '@botwright/protocol/limits'
import { memberName } from '../state/names.ts'
import { person } from '../state/store.ts'
import { type Theme, theme } from '../state/theme.ts'
import { api } from '../state/api.ts'
import { Switch } from '../forms/field.tsx'
import { Frame, Section } from '../forms/frame.tsx'
import { PictureField } from '../forms/picture-field.tsx'
import { ProfileForm } from '../forms/profile-form.tsx'
import { useCall } from '../forms/problem.ts'

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** The person's own profile, privacy and appearance. */
export function OwnProfile() {
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
      <Section title="Profile" description="How others see you.">
        <div class="card card-body">
          <PictureField
            label="Avatar"
            kind="avatar"
            id={self.id}
            name={memberName(self)}
            url={self.avatar_url}
            maxBytes={limits.avatar.bytes}
            onSet={async (file) => {
              await api.me.setAvatar({ file })
              person.value = (await api.me.get()).person
            }}
            onRemove={async () => {
              await api.me.removeAvatar()
              person.value = (await api.me.get()).person
            }}
          />
        </div>
        <ProfileForm
          profile={self}
          bioLabel="About you"
          hint={`Leave empty to use your username, ${self.username}.`}
          save={async (profile) => {
            person.value = (await api.me.update(profile)).person
          }}
        />
      </Section>
      <Section title="Privacy">
        <div class="card card-body">
          <Switch
            label="Accept direct messages"
            hint="If off, people and bots cannot start new direct messages with you. Existing ones stay open."
            checked={self.accepts_dms}
            error={general}
            onChange={(accepts_dms) =>
              run(async () => {
                person.value = (await api.me.update({ accepts_dms })).person
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
