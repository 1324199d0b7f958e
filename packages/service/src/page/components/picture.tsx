import { pictureAddress } from './links.ts'

/** The picture types that the service accepts (§8, Avatar / banner). */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Sizes of the pictures loaded so far: a row that comes into view again reserves exactly that space. */
const sizes = new Map<string, { width: number; height: number }>()

/** The style sheet shows no picture higher than this. */
const highestPx = 320

/** A picture from an allowed host; hidden if it fails to load. Its style reserves space until its size is known. */
export function Picture({ url, class: name, alt }: { url: string; class: string; alt: string }) {
  const address = pictureAddress(url)
  if (address === undefined) return null
  const size = sizes.get(address)
  return (
    <img
      class={size ? name : `${name} is-unmeasured`}
      src={address}
      alt={alt}
      {...size}
      loading="lazy"
      onLoad={({ currentTarget }) => {
        const { naturalWidth, naturalHeight } = currentTarget
        const scale = Math.min(1, highestPx / naturalHeight)
        const measured = { width: Math.round(naturalWidth * scale), height: Math.round(naturalHeight * scale) }
        sizes.set(address, measured)
        Object.assign(currentTarget, measured)
        currentTarget.classList.remove('is-unmeasured')
      }}
      onError={(event) => (event.currentTarget.hidden = true)}
    />
  )
}
