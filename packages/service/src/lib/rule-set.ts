/** What nobody may post (decisions row 31), and where embed pictures may come from (row 26). */
export interface ContentRules {
  words: readonly string[]
  hosts: readonly string[]
  pictureHosts: readonly string[]
}

/** The rules of a world: what it leaves out is as by default. */
export const rulesOf = (
  own: { words?: readonly string[] | undefined; hosts?: readonly string[] | undefined } = {},
): ContentRules => ({
  ...defaultRules,
  ...(own.words && { words: own.words }),
  // Hosts are compared as a browser writes them.
  ...(own.hosts && { hosts: own.hosts.map((host) => host.toLowerCase()) }),
})

const defaultRules: ContentRules = {
  words: ['slur-for-tests'],
  hosts: ['adult.example'],
  pictureHosts: ['i.imgur.com', 'images.unsplash.com', 'upload.wikimedia.org', 'cdn.example.com'],
}
