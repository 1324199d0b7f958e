/** Tests that only `npm test -- --all` runs. Each of them has `name` as its tag. */
export interface Tier {
  name: `all/${string}`
  /** The part that `npm test` leaves out, and the tests that stand for it. */
  description: string
}

/** Everything that `npm test` leaves out; CI runs all of it. */
export const tiers: readonly Tier[] = [
  {
    name: 'all/templates',
    description:
      'the templates, packed, installed, checked and tested; the tests of create-bot and the examples stand for them',
  },
  { name: 'all/package-managers', description: 'pnpm, Yarn and Bun, from a registry; npm installs the templates' },
  {
    name: 'all/publishing',
    description: 'packed tarballs, and publishing to a registry; the checks of the manifests stand for them',
  },
  { name: 'all/node-versions', description: 'Node 22, 24 and 26, Bun and Deno; the suite itself runs on one Node' },
  { name: 'all/generators', description: 'clients and types generated anew; the documents and types are checked' },
  { name: 'all/containers', description: 'images, systemd and nginx as documented; their files are checked' },
  {
    name: 'all/databases',
    description: 'Drizzle and PostgreSQL, with packages from npm; a bot with SQLite stands for them',
  },
  {
    name: 'all/real-packages',
    description: 'a bot with the packages that bots often use, from npm; packages that tests write stand for them',
  },
  {
    name: 'all/incidents',
    description: 'incidents in a process of framework start; the tests of each problem stand for them',
  },
  { name: 'all/saved-tests', description: 'saved conversations as tests; their text is compared' },
  { name: 'all/real-time', description: 'waits, replays and saves that take seconds; faster ones stand for them' },
  { name: 'all/processes', description: 'each command as a process of its own; those of most commands stand for them' },
  {
    name: 'all/commands',
    description: 'more cases of the commands and their processes; the first test of each file stands for them',
  },
  {
    name: 'all/live',
    description: 'more bots on a real service, most of them in threads; the first test of each file stands for them',
  },
  {
    name: 'all/runners',
    description: 'vitest, Jest and node:test on the tests of bots; the tests of templates stand for them',
  },
  { name: 'all/site', description: 'the built documentation site; its links and pages are checked' },
  { name: 'all/browser', description: 'more journeys through the pages; one pass of each page stands for them' },
  { name: 'all/redis', description: 'more failures of Redis and instances; one pass of a cluster stands for them' },
  { name: 'all/crash-points', description: 'a crash or fault at every single step; a sample of steps stands for them' },
  {
    name: 'all/hostile-texts',
    description: 'hostile texts of 100,000 characters, and for each pattern; shorter and fewer ones stand for them',
  },
  { name: 'all/large', description: 'large inputs and long random runs; smaller ones stand for them' },
  { name: 'all/seeds', description: 'more seeds of the random tests; a few stand for them' },
]

/** The filter of tags that selects the fast tier. */
export const FAST_TIER = '!all/*'
