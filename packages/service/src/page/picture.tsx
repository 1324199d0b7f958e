import { pictureAddress } from './links.ts'

/** A picture from an allowed host; hidden if it fails to load. */
export function Picture({ url, class: name, alt }: { url: string; class: string; alt: string }) {
  const address = pictureAddress(url)
  if (address === undefined) return null
  return (
    <img class={name} src={address} alt={alt} loading="lazy" onError={(event) => (event.currentTarget.hidden = true)} />
  )
}
