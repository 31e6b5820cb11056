package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The name of the account under which a workload runs, for example of its service account. A plugin whose profile asks for
 * workload info gets it; csi4j itself grants nothing by it.
 *
 * @param value the text, for example {@code web}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record AccountName(String value) implements Comparable<AccountName> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public AccountName {
        IdText.check("AccountName", "value", value);
    }

    /**
     * Returns the account with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static AccountName of(String value) {
        return new AccountName(value);
    }

    /** Orders the accounts by the code units of their texts. */
    @Override
    public int compareTo(AccountName other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the account as text for operators, with escapes for invisible characters. To get the exact name,
     * use {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
