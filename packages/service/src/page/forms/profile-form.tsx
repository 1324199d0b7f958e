import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import { changesOf } from './changes.ts'
import { TextField } from './field.tsx'
import { CardForm } from './form.tsx'
import { useCall } from './problem.ts'

interface Profile {
  display_name: string | null
  bio: string
}

/** Display name and bio of a person or a bot. */
export function ProfileForm(props: {
  profile: Profile & { username: string }
  bioLabel: string
  hint?: string
  save: (changes: Partial<Profile>) => Promise<void>
}) {
  const { profile, bioLabel, hint, save } = props
  const [saved, setSaved] = useState<Profile>({ display_name: profile.display_name, bio: profile.bio })
  const [name, setName] = useState(saved.display_name ?? '')
  const [bio, setBio] = useState(saved.bio)
  const call = useCall('display_name', 'bio')
  const now = { display_name: name.trim() === '' ? null : name.trim(), bio }
  const changes = changesOf(saved, now)
  return (
    <CardForm
      call={call}
      disabled={Object.keys(changes).length === 0}
      onSubmit={async () => {
        await save(changes)
        setSaved(now)
      }}
    >
      <TextField
        label="Display name"
        value={name}
        placeholder={profile.username}
        max={limits.display_name.characters}
        error={call.at('display_name')}
        hint={hint}
        onInput={setName}
      />
      <TextField
        label={bioLabel}
        rows={3}
        value={bio}
        max={limits.bio.characters}
        error={call.at('bio')}
        onInput={setBio}
      />
    </CardForm>
  )
}
