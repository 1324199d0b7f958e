import { pictureHosts } from '../state/store.ts'

/** Returns a link that is safe to follow: http and https only, so that no `javascript:` URL runs. */
export function safeLink(url: string | null | undefined): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : undefined
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The URL to load a picture from: the service's own uploads and the hosts of the allow-list (§2, Embed).
 * Nothing is loaded from other hosts, so viewing a message sends no request to a third party.
 */
export function pictureAddress(url: string | null | undefined): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url, location.href)) return undefined
  const parsed = new URL(url, location.href)
  if (parsed.protocol === 'blob:') return url
  const own =
    parsed.host === location.host ||
    (parsed.port === location.port && loopback.has(parsed.hostname) && loopback.has(location.hostname))
  // The same service may have another host name: load its uploads from this page's host.
  if (own) return parsed.pathname + parsed.search
  return parsed.protocol === 'https:' && pictureHosts.value.includes(parsed.hostname) ? parsed.href : undefined
}
