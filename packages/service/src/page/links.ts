import { pictureHosts } from './store.ts'

/** A link that may be followed: http and https only, so that no text becomes a script. */
export function safeLink(url: string | null | undefined): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : undefined
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The address under which a picture is shown: the service's own uploads and the hosts of the allow-list (§2, Embed).
 * From anywhere else nothing is loaded: looking at a message tells no stranger that it was looked at.
 */
export function pictureAddress(url: string | null | undefined): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url, location.href)) return undefined
  const parsed = new URL(url, location.href)
  if (parsed.protocol === 'blob:') return url
  const own =
    parsed.host === location.host ||
    (parsed.port === location.port && loopback.has(parsed.hostname) && loopback.has(location.hostname))
  // The same service may be reached by another name: its uploads are asked for under the name of this page.
  if (own) return parsed.pathname + parsed.search
  return parsed.protocol === 'https:' && pictureHosts.value.includes(parsed.hostname) ? parsed.href : undefined
}

/** Links straight to a picture in a text (§2): they show under the message. */
export const pictureLinks = (text: string): string[] => [
  ...new Set(text.match(/https?:\/\/[^\s<>()]+\.(?:png|jpe?g|gif|webp)(?:\?[^\s<>()]*)?/gi) ?? []),
]
