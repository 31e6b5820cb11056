package io.csi4j.client.internal.text;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of all requests of one client, for any volume. A plugin may repeat the secret of one volume in a text
 * about another one. Shorter secrets than {@value SensitiveValues#LONG} characters are left out, because they would hide parts of ordinary
 * words. Kept in memory only, with a limit. Thread-safe.
 *
 * <p>A text is searched in one pass, however many secrets are known: the forms of all secrets are found by their first characters.
 */
public final class KnownSecrets {
    private static final System.Logger LOG = System.getLogger(KnownSecrets.class.getName());
    /** The largest number of characters of all forms together. It is enough for about 20,000 passwords. */
    private static final int MAX_CHARS = 4_000_000;
    /** The memory for one secret besides the characters of its forms, expressed in characters. */
    private static final int OVERHEAD = 64;

    private final Cache<String, Set<String>> forms;
    private final ConcurrentMap<String, Set<Form>> byStart = new ConcurrentHashMap<>();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicInteger longest = new AtomicInteger(SensitiveValues.LONG);

    /** One form of a secret. Two secrets may have the same form, so the secret is a part of it. */
    private record Form(String text, String secret) {}

    public KnownSecrets() {
        this(MAX_CHARS);
    }

    KnownSecrets(int maxChars) {
        this.forms = Caffeine.newBuilder()
                .maximumWeight(maxChars)
                .weigher((String secret, Set<String> texts) ->
                        OVERHEAD + texts.stream().mapToInt(String::length).sum())
                .evictionListener((secret, texts, cause) -> {
                    if (secret != null && texts != null) {
                        forget(secret, texts);
                    }
                })
                .executor(Runnable::run)
                .build();
    }

    /** Remembers secrets. */
    public void add(List<String> secrets) {
        for (String secret : secrets) {
            var unused = forms.get(secret, this::index);
        }
    }

    private Set<String> index(String secret) {
        Set<String> texts = SensitiveValues.longForms(secret);
        int length = texts.stream().mapToInt(String::length).max().orElse(0);
        longest.accumulateAndGet(length, Math::max);
        for (String text : texts) {
            byStart.compute(start(text, 0), (start, known) -> with(known, new Form(text, secret)));
        }
        return texts;
    }

    private void forget(String secret, Set<String> texts) {
        if (warned.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "There are more different secrets than the client of a plugin remembers. The plugin's texts about one"
                            + " volume may show those of another; they never show the volume's own");
        }
        for (String text : texts) {
            byStart.computeIfPresent(start(text, 0), (start, known) -> without(known, new Form(text, secret)));
        }
    }

    private static Set<Form> with(@Nullable Set<Form> known, Form added) {
        Set<Form> all = known == null ? ConcurrentHashMap.newKeySet() : known;
        all.add(added);
        return all;
    }

    private static @Nullable Set<Form> without(Set<Form> known, Form gone) {
        known.remove(gone);
        return known.isEmpty() ? null : known;
    }

    private static String start(String text, int from) {
        return text.substring(from, from + SensitiveValues.LONG);
    }

    /** Returns the length of the longest form of a secret, in characters. */
    int longest() {
        return longest.get();
    }

    /**
     * Finds the secrets in a text.
     *
     * @param folded the text in lower case
     */
    void find(String folded, SensitiveValues.Range found) {
        for (int at = 0; at + SensitiveValues.LONG <= folded.length(); at++) {
            for (Form form : byStart.getOrDefault(start(folded, at), Set.of())) {
                if (folded.startsWith(form.text(), at)) {
                    found.at(at, at + form.text().length());
                }
            }
        }
    }

    /** Returns a text without the secrets. */
    @Override
    public String toString() {
        return "KnownSecrets[not shown]";
    }
}
