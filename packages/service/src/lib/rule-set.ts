/** Blocked words and hosts (decisions row 31), and the allowed hosts of embed pictures (row 26). */
export interface ContentRules {
  words: readonly string[]
  hosts: readonly string[]
  pictureHosts: readonly string[]
}

/** A host name as browsers write it: in lower case, and in ASCII. */
export const hostName = (host: string): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase()

/** The rules of a world, completed with the defaults. */
export const rulesOf = (
  own: { words?: readonly string[] | undefined; hosts?: readonly string[] | undefined } = {},
): ContentRules => ({
  ...defaultRules,
  ...(own.words && { words: own.words }),
  ...(own.hosts && { hosts: own.hosts.filter((host) => host.trim() !== '').map(hostName) }),
})

const defaultRules: ContentRules = {
  words: ['slur-for-tests'],
  hosts: ['adult.example'],
  pictureHosts: ['i.imgur.com', 'images.unsplash.com', 'upload.wikimedia.org', 'cdn.example.com'],
}
