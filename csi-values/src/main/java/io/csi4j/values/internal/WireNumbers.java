package io.csi4j.values.internal;

import io.csi4j.core.csi.WireEnum;
import java.util.List;

/**
 * Maps the protobuf numbers of one enum to the enum's values. A number without a known value is mapped to the value
 * with the number 0.
 */
public final class WireNumbers<E extends WireEnum> {
    private final List<E> byNumber;

    /**
     * Creates the mapping of an enum with the numbers 0, 1, 2 and so on.
     *
     * @param values all values, ascending
     */
    public WireNumbers(E[] values) {
        byNumber = List.of(values);
        for (int number = 0; number < values.length; number++) {
            if (values[number].number() != number) {
                throw new IllegalArgumentException(values[number] + " has not the number " + number);
            }
        }
    }

    /** Returns the value with a number; the value with the number 0 if there is none. */
    public E of(int number) {
        return byNumber.get(number > 0 && number < byNumber.size() ? number : 0);
    }
}
