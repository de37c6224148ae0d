import { inlinedTexts } from '../../.ci/inlined-texts.ts';

export default { esbuildPlugins: [inlinedTexts('lua'), inlinedTexts('sql')] };
