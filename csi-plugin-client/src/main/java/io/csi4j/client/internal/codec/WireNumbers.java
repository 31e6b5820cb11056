package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.WireEnum;
import java.util.List;

/** The names of the numbers of one enum. A number without a name is the one with the number 0. */
final class WireNumbers<E extends WireEnum> {
    private final List<E> byNumber;

    /**
     * The names of an enum whose numbers are 0, 1, 2 and so on.
     *
     * @param values all of them, ascending
     */
    WireNumbers(E[] values) {
        byNumber = List.of(values);
        for (int number = 0; number < values.length; number++) {
            if (values[number].number() != number) {
                throw new IllegalArgumentException(values[number] + " has not the number " + number);
            }
        }
    }

    E of(int number) {
        return byNumber.get(number > 0 && number < byNumber.size() ? number : 0);
    }
}
