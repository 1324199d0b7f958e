import type { Presence } from '../../people.ts'
import { Picture } from './picture.tsx'

/** Picks one of the eight avatar colors of the style sheet for an id. */
const tone = (id: string): number => [...id].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 997, 7) % 8

type AvatarProps = {
  id: string
  name: string
  url?: string | null
  size?: 'small' | 'large' | 'huge'
  presence?: Presence
}

/** A picture, or the first letter on a colored background; with a presence dot if `presence` is given. */
export function Avatar({ id, name, url, size = 'large', presence }: AvatarProps) {
  return (
    <span class={`avatar avatar-${size}`} aria-hidden="true">
      <span class={`avatar-face tone-${tone(id)}`} data-letter={Array.from(name)[0]?.toUpperCase()}>
        {url && <Picture class="avatar-picture" url={url} alt="" />}
      </span>
      {presence && <span class={`presence presence-${presence.status}`} />}
    </span>
  )
}

export const BotTag = () => <span class="bot-tag">BOT</span>
