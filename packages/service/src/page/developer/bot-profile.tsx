import { limits } from '@botwright/protocol/limits'
import type { OwnedBot } from '../../people.ts'
import { memberName } from '../state/names.ts'
import { Section } from '../forms/frame.tsx'
import { PictureField } from '../forms/picture-field.tsx'
import { ProfileForm } from '../forms/profile-form.tsx'
import { api } from '../state/api.ts'
import { loadOwnBots } from '../state/own-bots.ts'

const pictureCalls = {
  avatar: { set: api.bots.setAvatar, remove: api.bots.removeAvatar },
  banner: { set: api.bots.setBanner, remove: api.bots.removeBanner },
}

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
            await pictureCalls[kind].set({ bot_id: bot.id, file })
            await loadOwnBots()
          }}
          onRemove={async () => {
            await pictureCalls[kind].remove({ bot_id: bot.id })
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
          await api.bots.update({ bot_id: bot.id, ...profile })
          await loadOwnBots()
        }}
      />
    </Section>
  )
}
