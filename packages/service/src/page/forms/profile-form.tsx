import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
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
  save: (profile: Profile) => Promise<void>
}) {
  const { profile, bioLabel, hint, save } = props
  const [name, setName] = useState(profile.display_name ?? '')
  const [bio, setBio] = useState(profile.bio)
  const call = useCall('display_name', 'bio')
  const same = name.trim() === (profile.display_name ?? '') && bio === profile.bio
  return (
    <CardForm
      call={call}
      disabled={same}
      onSubmit={() => save({ display_name: name.trim() === '' ? null : name.trim(), bio })}
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
