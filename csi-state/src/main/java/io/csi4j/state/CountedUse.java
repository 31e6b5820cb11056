package io.csi4j.state;

import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.QuotaUse.Amount;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.state.internal.hash.HashTrie;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The use of a namespace, or of a class in it, which a quota limits: its volumes and their bytes. Sums of bytes are exact, also beyond the greatest
 * long, because a volume that was added can be removed again. Immutable.
 */
final class CountedUse {
    private static final int READY = 0;
    private static final int CREATING = 1;
    private static final int DELETING = 2;
    private static final int WITHDRAWN = 3;
    private static final int PARTS = 4;

    /** The numbers of a part: its volumes, and the sums of the upper and of the lower halves of their bytes. */
    private static final int NUMBERS = 3;

    private static final int HALF = Integer.SIZE;
    private static final long LOWER = (1L << HALF) - 1;

    private final QuotaKey key;
    private final long[] numbers;

    private CountedUse(QuotaKey key, long[] numbers) {
        this.key = key;
        this.numbers = numbers;
    }

    QuotaKey key() {
        return key;
    }

    QuotaUse use() {
        return new QuotaUse(amount(READY), amount(CREATING), amount(DELETING), amount(WITHDRAWN));
    }

    private static int part(VolumePhase phase) {
        return switch (phase) {
            case AVAILABLE -> READY;
            case CREATING -> CREATING;
            case DELETING -> DELETING;
        };
    }

    private Amount amount(int part) {
        int at = part * NUMBERS;
        long upper = numbers[at + 1] + (numbers[at + 2] >>> HALF);
        return new Amount(
                numbers[at], upper > Integer.MAX_VALUE ? Long.MAX_VALUE : upper << HALF | (numbers[at + 2] & LOWER));
    }

    private static void count(long[] numbers, int part, long sign, long bytes) {
        int at = part * NUMBERS;
        numbers[at] += sign;
        numbers[at + 1] += sign * (bytes >>> HALF);
        numbers[at + 2] += sign * (bytes & LOWER);
    }

    static HashTrie<QuotaKey, CountedUse> add(HashTrie<QuotaKey, CountedUse> uses, long edit, Volume volume) {
        return change(uses, edit, 1, volume);
    }

    static HashTrie<QuotaKey, CountedUse> remove(HashTrie<QuotaKey, CountedUse> uses, long edit, Volume volume) {
        return change(uses, edit, -1, volume);
    }

    static HashTrie<QuotaKey, CountedUse> add(HashTrie<QuotaKey, CountedUse> uses, long edit, WithdrawnCreation row) {
        return change(uses, edit, 1, row);
    }

    static HashTrie<QuotaKey, CountedUse> remove(
            HashTrie<QuotaKey, CountedUse> uses, long edit, WithdrawnCreation row) {
        return change(uses, edit, -1, row);
    }

    private static HashTrie<QuotaKey, CountedUse> change(
            HashTrie<QuotaKey, CountedUse> uses, long edit, int sign, Volume volume) {
        long[] numbers = new long[PARTS * NUMBERS];
        count(numbers, part(volume.phase()), sign, volume.countedBytes());
        return change(uses, edit, numbers, volume.key(), volume.classOrigin().map(ClassOrigin::name));
    }

    private static HashTrie<QuotaKey, CountedUse> change(
            HashTrie<QuotaKey, CountedUse> uses, long edit, int sign, WithdrawnCreation row) {
        long[] numbers = new long[PARTS * NUMBERS];
        count(numbers, WITHDRAWN, sign, row.countedBytes());
        return change(uses, edit, numbers, row.volume(), row.className());
    }

    private static HashTrie<QuotaKey, CountedUse> change(
            HashTrie<QuotaKey, CountedUse> uses,
            long edit,
            long[] by,
            VolumeKey volume,
            Optional<VolumeClassName> className) {
        HashTrie<QuotaKey, CountedUse> changed = change(uses, edit, QuotaKey.of(volume.namespace()), by);
        return className.isEmpty()
                ? changed
                : change(changed, edit, QuotaKey.of(volume.namespace(), className.get()), by);
    }

    private static HashTrie<QuotaKey, CountedUse> change(
            HashTrie<QuotaKey, CountedUse> uses, long edit, QuotaKey key, long[] by) {
        CountedUse known = uses.get(key);
        long[] sum = by.clone();
        if (known != null) {
            Arrays.setAll(sum, i -> known.numbers[i] + by[i]);
        }
        return Arrays.stream(sum).allMatch(number -> number == 0)
                ? uses.remove(edit, key)
                : uses.put(edit, new CountedUse(known == null ? key : known.key, sum));
    }

    /** Adds the volumes of a restored state, with one change of the index for each key. */
    static final class Sums {
        private final Map<QuotaKey, long[]> sums = new HashMap<>();

        void add(Volume volume) {
            QuotaKey ofNamespace = QuotaKey.of(volume.key().namespace());
            add(ofNamespace, volume);
            volume.classOrigin()
                    .ifPresent(origin -> add(QuotaKey.of(volume.key().namespace(), origin.name()), volume));
        }

        private void add(QuotaKey key, Volume volume) {
            count(
                    sums.computeIfAbsent(key, absent -> new long[PARTS * NUMBERS]),
                    part(volume.phase()),
                    1,
                    volume.countedBytes());
        }

        HashTrie<QuotaKey, CountedUse> addTo(HashTrie<QuotaKey, CountedUse> uses, long edit) {
            HashTrie<QuotaKey, CountedUse> changed = uses;
            for (Map.Entry<QuotaKey, long[]> sum : sums.entrySet()) {
                changed = change(changed, edit, sum.getKey(), sum.getValue());
            }
            return changed;
        }
    }
}
