/** A phrase that reads like a translation, and what to write instead. */
export interface Phrase {
  /** Matched against text in which each run of white space is one space. */
  pattern: RegExp
  write: string
}

/** Phrases for any text. The subject may be a person where a pattern has an exception for it. */
export const PHRASES: readonly Phrase[] = [
  { pattern: /\b(?:tells?|telling|told)\b(?! (?:\w+ ){0,4}apart)/gi, write: 'log, report, return, print or notify' },
  {
    pattern:
      /\b(?:says?|said)\b(?<!\b(?:person|people|users?|you|members?|I) (?:says?|said))(?<!\.says(?=\())(?<!framework say)/gi,
    write: 'state, print, log, return or contain',
  },
  { pattern: /\b(?:hears?|heard|hearing)\b/gi, write: 'receive, listen to or subscribe to' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, write: 'fix' },
  {
    pattern: /\b(?:nobody|somebody|anybody|whoever|whomever)\b/gi,
    write: 'the actor: "no instance", "the caller", "the user"',
  },
  { pattern: /\b(?:by|of|for|from|to|with|than) who\b/gi, write: 'the actor as a noun' },
  { pattern: /\btyped wrong(?:ly)?\b/gi, write: '"invalid input" or "usage error"' },
  { pattern: /\bby lot\b/gi, write: '"random" or "at random"' },
  {
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|better|worse|different|such|doubt|one)\b)/gi,
    write: '"is not a …" or "there is no …"',
  },
  { pattern: /\b(?:is|are) nothing for\b/gi, write: '"do not use … for …"' },
  {
    pattern: /\bwants\b(?<!\b(?:person|user|member|who|everyone|someone) wants)/gi,
    write: 'require, need or expect',
  },
  {
    pattern:
      /\b(?:stands?|stood|standing) (?:in|at|behind|before|after|on|there|above|below|under|over|next|beside|between|where|first|still)\b/gi,
    write: '"is" (in, after, at)',
  },
  {
    pattern:
      /\b(?:leading machines?|machines? (?:that |which )?(?:leads?|dies|died|leaves?|left|joins?|joined|owns?|takes? over|polls?))\b/gi,
    write: 'node or instance',
  },
  {
    pattern:
      /(?<![\d.,:-])\b1 (?:times|events|messages|seconds|minutes|hours|days|weeks|files|bots|people|commands|errors|warnings|instances|nodes|shards|requests|attempts|members|lines|tests)\b/g,
    write: 'the singular: 1 time, 1 event',
  },
  { pattern: /\bany more\b(?! than\b)/gi, write: 'no longer' },
  { pattern: /\bgives? what\b/gi, write: '"returns the …"' },
  { pattern: /\b(?:gives?|given|gave|giving) back\b/gi, write: 'return or release' },
  {
    pattern: /\b(?:what|that which) (?:runs|ran|comes|came|stands|stood|serves|leads)\b/gi,
    write: 'a noun: "running handlers"',
  },
  { pattern: /\b(?:with|of|from|for|by|but|than|against) what (?:is|are|was|were) (?:not|no)\b/gi, write: 'a noun' },
  { pattern: /\bupon\b/gi, write: 'on' },
  { pattern: /\b(?:takes?|took) (?:no )?notice\b/gi, write: 'ignore' },
  { pattern: /\b(?:to be had|into safety|the own)\b/gi, write: '"available", "back up", "its own" or "your own"' },
  { pattern: /\b(?:holds?|held) against\b/gi, write: 'report or count' },
  { pattern: /\b(?:holds?|held|holding) back\b/gi, write: 'block or delay' },
  { pattern: /\bforg(?:ives?|iven|ave)\b/gi, write: 'ignore or accept' },
  {
    pattern: /\b(?:footing|surroundings|misfits?|oddity|oddities)\b/gi,
    write: 'backend, services, mismatch or warning',
  },
  { pattern: /\b(?:lanes?|crews?|deeds?)\b/gi, write: 'queue, partition or handler' },
  { pattern: /\bpractis(?:es?|ed|ing)\b/gi, write: 'warm up' },
  { pattern: /\b(?:thereof|therein|thereupon|wherein|whereupon|whence)\b/gi, write: 'two sentences' },
]

/** A statement that begins with a clause as its subject: `What runs may finish`. A question may. */
export const CLAUSE_AS_SUBJECT = /^(?:what|who) (?!to |if |about )[^?]*$/i

/** The maximum number of words in a sentence. */
export const LONGEST_SENTENCE = 30
