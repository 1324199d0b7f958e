/** What nobody may post (decisions row 31), and where embed pictures may come from (row 26). */
export interface ContentRules {
  words: readonly string[]
  hosts: readonly string[]
  pictureHosts: readonly string[]
}

export const defaultRules: ContentRules = {
  words: ['slur-for-tests'],
  hosts: ['adult.example'],
  pictureHosts: ['i.imgur.com', 'images.unsplash.com', 'upload.wikimedia.org', 'cdn.example.com'],
}
