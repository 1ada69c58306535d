package filings.ngram;

import java.util.Map;
import org.apache.lucene.analysis.ngram.NGramTokenizer;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;

/** The tokenizer "ngram", which the full Elasticsearch has in a module that Maven Central lacks. */
public final class NGramPlugin extends Plugin implements AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of("ngram", NGramPlugin::tokenizer);
    }

    private static TokenizerFactory tokenizer(IndexSettings index, Environment environment, String name, Settings settings) {
        if (settings.keySet().contains("token_chars")) {
            throw new IllegalArgumentException("this ngram tokenizer does not know token_chars");
        }
        int min = settings.getAsInt("min_gram", NGramTokenizer.DEFAULT_MIN_NGRAM_SIZE);
        int max = settings.getAsInt("max_gram", NGramTokenizer.DEFAULT_MAX_NGRAM_SIZE);
        return TokenizerFactory.newFactory(name, () -> new NGramTokenizer(min, max));
    }
}
