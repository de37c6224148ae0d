import { type Comment, type DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc';

/** Interfaces that a caller fills in. Those of the entries for authors of backends and edges are in the API reference. */
const isOptions = (name: string): boolean =>
  /(Options|Limits|Thresholds|Query|Budget|Config)$/.test(name) && !/^(Resolved|Opened|Driver)/.test(name);
const isForUsers = (module: string): boolean => !/\/(backend|edge)$/.test(module);

const head = `# Options

Every option of every package: its type, its default and its effect. \`npm run docs\` makes this page from the doc comments.
A field of a configuration file has the same name in \`snake_case\`. The entries for authors of backends and edges are in the API
reference, which \`npm run docs\` writes to \`docs/api\`.
`;

/** Returns the page of all options, by package. */
export function optionsPage(project: ProjectReflection): string {
  const parts = (project.children ?? []).filter(({ name }) => isForUsers(name)).flatMap((module) => sectionOf(module));
  return `${[head, ...parts].join('\n')}`;
}

function sectionOf(module: DeclarationReflection): string[] {
  const found = (module.children ?? []).filter(
    ({ name, kind }) => kind === ReflectionKind.Interface && isOptions(name),
  );
  const tables = found.map(tableOf).filter((table) => table !== null);
  return tables.length === 0 ? [] : [`## ${module.name}\n`, ...tables];
}

/** Without what it inherits, which has a table of its own. */
function tableOf({ name, comment, children = [], extendedTypes = [] }: DeclarationReflection): string | null {
  const own = children.filter(({ inheritedFrom }) => inheritedFrom === undefined);
  if (own.length === 0) return null;
  const others = extendedTypes.map((type) => `\`${type.toString()}\``);
  const also = others.length === 0 ? '' : ` Also those of ${others.join(', ')}.`;
  const rows = own.map(
    (option) => `| \`${option.name}\` | ${cell(typeOf(option))} | ${cell(defaultOf(option))} | ${effectOf(option)} |`,
  );
  const opening = `${firstSentence(textOf(comment))}${also}`.trim();
  const lead = opening === '' ? [] : [opening, ''];
  return [`### ${name}`, '', ...lead, '| option | type | default | effect |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

const cell = (text: string): string => (text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``);

function typeOf({ type, signatures }: DeclarationReflection): string {
  if (signatures?.[0] !== undefined) return 'function';
  const text = (type?.toString() ?? '').replace(/^undefined \| | \| undefined$/g, '').replaceAll('`', '');
  return text.length > 60 ? 'see the reference' : text;
}

const textOf = (comment: Comment | undefined): string =>
  (comment?.summary ?? [])
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

/** The sentence ends before a space and a capital letter, or at the end. */
const firstSentence = (text: string): string => text.split(/(?<=[.!?]) (?=[A-Z\u0060])/, 1)[0] ?? '';

const defaultOf = ({ comment, flags }: DeclarationReflection): string => {
  const [, found] = /\b[Dd]efault:? ((?:[^.;,(]|[.,](?=\d))+)/.exec(textOf(comment)) ?? [];
  return found?.replaceAll('`', '').trim() ?? (flags.isOptional ? '' : 'required');
};

/** @throws an error naming the option: it has no doc comment */
function effectOf({ name, parent, comment }: DeclarationReflection): string {
  const effect = firstSentence(textOf(comment)).replaceAll('|', '\\|');
  if (effect === '') throw new Error(`${parent?.name}.${name} has no doc comment`);
  return effect;
}
