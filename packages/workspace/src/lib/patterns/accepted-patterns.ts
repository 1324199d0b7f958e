/** Regular expressions that fail the analysis, with the reason why no text makes them slow: their texts are short or trusted. */
export const acceptedPatterns: Readonly<{ [pattern: string]: string }> = {
  '/^-+|-+$/g': "names of files, folders and events of the author's own project",
  '/-+$/': 'the name of a folder that the author types',
  '/^([^#:\\r\\n]+):([^\\r\\n]*)/gm': 'the answer of the configured Redis server',
  '/^(?=(?:# .*\\n)?FROM )/m': 'the Dockerfile of a template',
  '/^COPY package\\.json .*\\n(?:COPY packages\\.local .*\\n)?/m': 'the Dockerfile of a template',
  '/^COPY \\. \\.\\n(?=RUN .* build$)/m': 'the Dockerfile of a template',
  '/\\/+$/': 'an address or a folder from the configuration',
  '/\\s*script: [0-9a-f]{40}, on @user_script:\\d+\\.?/': 'an error text of the configured Redis server',
  '/[_-]+(\\w)/g': 'a name that the author types',
  '/^_+|_+$/g': "names of the author's own files",
  '/^(.*?): ((?:add|correct|declare|make) .*)$/': "error texts of the framework about the author's own files",
  '/^(\\w+) (.*?): (.*)$/': 'error texts of the framework about the configured service',
  '/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\(ref \\w{4}\\)|[A-Za-z0-9_-]{22,}/gi':
    'recorded events, which the author replays and which are cut when they are recorded',
  '/(?:^|\\/)commands\\/(.+)\\.\\w+$/': "names of the author's own files",
  '/-.*$/': 'the name of a folder that the framework made',
  '/^(?:(.+?)\\((\\d+),(\\d+)\\): )?error (TS\\d+: .*)$/': 'the output of the compiler',
  '/[?#].*$/': 'the address of a module',
  '/[\\\\/]+$/': 'the folder of the bot',
  '/\\?.*$/': 'an address, which has no line break: the pattern then matches at its first question mark',
  '/\\d{4}.*\\d\\d:\\d\\d/': 'the first 100 characters of a header',
  '/^(\\s+at (?:async )?(?:.*? \\()?)((?:file:\\/\\/|\\/|[A-Za-z]:[\\\\/]).*?):(\\d+)(?::(\\d+))?(\\)?)$/':
    'one line of a stack, 1,000 characters at most',
  '/("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)|(true|false|null)/gi':
    'JSON that the inspector cuts at 4096 characters',
  '/^(?:\\p{RGI_Emoji}\\s*){1,6}$/v': 'the checker does not know the flag v; at most six emoji are read',
  "RegExp(`(?<![\\\\w-])(?:${commands.join('|')})(?![\\\\w-])`)": "words of the author's own commands",
  'RegExp(`(\\\\b\\\\w*require\\\\d*\\\\()?(["\'\\`])((?:\\\\.{1,2}/|file:)[^"\'\\`\\\\n]*)\\\\.${unversioned}(\\\\.[cm]js)\\\\2`)':
    'file names of the build',
  'RegExp(String.raw`(?:\\(|at |async )(${place}):(\\d+):(\\d+)\\)?$`)':
    "an error of the author's own code while it loads",
  'RegExp(`^(?:caused by )?(${place}):(\\\\d+)$`)': "an error of the author's own code while it loads",
  "RegExp(`\\\\b${name.replaceAll('$', '\\\\$')}\\\\b`)": "an error of the author's own code while it loads",
  "RegExp(forms.map((form) => form.replaceAll(/[\\\\^$.*+?()[\\]{}|/]/g, '\\\\$&')).join('|'))":
    'a choice between literal texts, tried at each place',
  'RegExp(`^[a-z0-9_-]{${min},${characters}}$`)': 'repeats at most 32 times',
  "RegExp(words === '' ? '(?!)' : `(?<![\\\\p{L}\\\\p{N}])(?:${words})(?![\\\\p{L}\\\\p{N}])`)":
    'whole literal words from the configuration, tried at each place',
  'RegExp(`webhooks[/%]|"(?:${fields})":`)': 'a choice between literal texts, tried at each place',
  'RegExp(String.raw`("(?:${fields})":")(?:[^"\\\\]|\\\\.)+(")`)':
    'a name of a field and one string of JSON, of which each character has one alternative',
  'RegExp(`${parts}|webhook|keys?(?:$|_)|(?:^|_)pass(?:$|_)|_pwd$`)':
    'a choice between literal texts, tried at each place',
  'RegExp(`${parts}|(?:^|[^a-z])auth(?:orization)?(?:$|[^a-z])`)':
    'a choice between literal texts, tried at each place',
  'RegExp(id)': 'repeats 27 characters',
  'RegExp(match)': "a pattern of the bot's author, which `framework check` and `build` analyze",
  'RegExp(misleading.source)': 'one character class, without repetition',
  'RegExp(joiners)': 'a name, and no part of it repeats more than 6 times',
  '/((?:--|[–—])[a-z][\\w-]*=)?(?:["“”„＂]((?:[^"“”＂\\\\]|\\\\.)*)["“”＂]?|[«»‹›]([^«»‹›]*)[«»‹›]?|[「『]([^」』]*)[」』]?|[\'‘’‚]([^\'‘’‚]*)[\'‘’](?!\\S))|\\S+/gi':
    'each alternative keeps what it has read, and an apostrophe reads to the next one only; the analysis is a fuzz test with a time limit',
  '/:([a-z0-9_+-]{1,40}):/g': 'reads 41 characters from each colon; the analysis is a fuzz test with a time limit',
}
