import { limits } from '@botwright/protocol/limits'
import type { OwnedBot } from '../../people.ts'
import { memberName } from '../names.ts'
import { Section } from '../settings/frame.tsx'
import { PictureField } from '../settings/picture-field.tsx'
import { ProfileForm } from '../settings/profile-form.tsx'
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

/** Pictures, display name and bio of a bot. */
export function BotProfile({ bot }: { bot: OwnedBot }) {
  return (
    <Section title="Profile" description="How the bot appears to people.">
      <Pictures bot={bot} />
      <ProfileForm
        profile={bot}
        bioLabel="About"
        save={async (profile) => {
          await developerApi.update(bot.id, profile)
          await loadOwnBots()
        }}
      />
    </Section>
  )
}
