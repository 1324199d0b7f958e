/** Blocked words and hosts (decisions row 31), and the allowed hosts of embed pictures (row 26). */
export interface ContentRules {
  words: readonly string[]
  hosts: readonly string[]
  pictureHosts: readonly string[]
}

/** The rules of a world, completed with the defaults. */
export const rulesOf = (
  own: { words?: readonly string[] | undefined; hosts?: readonly string[] | undefined } = {},
): ContentRules => ({
  ...defaultRules,
  ...(own.words && { words: own.words }),
  // Browsers write host names in lower case.
  ...(own.hosts && { hosts: own.hosts.map((host) => host.toLowerCase()) }),
})

const defaultRules: ContentRules = {
  words: ['slur-for-tests'],
  hosts: ['adult.example'],
  pictureHosts: ['i.imgur.com', 'images.unsplash.com', 'upload.wikimedia.org', 'cdn.example.com'],
}
