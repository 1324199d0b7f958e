/** Fields of the interface that hold secrets. */
export const secretFields: readonly string[] = ['token', 'secret', 'authorization', 'webhook_url']

const fields = secretFields.join('|')

/** A text without a match contains no secret field in JSON, and no URL of a webhook. */
export const markOfSecrets = new RegExp(`webhooks[/%]|"(?:${fields})":`, 'i')

/** The secret fields in JSON. `$1` and `$2` are what surrounds the value. */
export const secretsInJson = new RegExp(String.raw`("(?:${fields})":")(?:[^"\\]|\\.)+(")`, 'gi')

/** Parts of the names of variables, headers and fields that hold secrets. */
const parts = 'signature|token|secret|pass(?:word|wd|phrase)|credential|cookie|api[-_]?key'

/** Names of variables that hold secrets. */
export const secretVariable = new RegExp(`${parts}|webhook|keys?(?:$|_)|(?:^|_)pass(?:$|_)|_pwd$`, 'i')

/** Names of headers and fields of a request that prove its sender. */
export const proofOfSender = new RegExp(`${parts}|(?:^|[^a-z])auth(?:orization)?(?:$|[^a-z])`, 'i')
