package io.csi4j.state.internal.tree;

/** A row with a key of two parts. */
record Row(String space, String id, int value) {
    static final Shape<Row, Row> SHAPE = new Shape<>() {
        @Override
        public int parts() {
            return 2;
        }

        @Override
        public String part(Row key, int index) {
            return index == 0 ? key.space : key.id;
        }

        @Override
        public Row key(Row row) {
            return row;
        }
    };

    static Row key(String space, String id) {
        return new Row(space, id, 0);
    }

    Row with(int other) {
        return new Row(space, id, other);
    }

    static int byKey(Row left, Row right) {
        int order = left.space.compareTo(right.space);
        return order != 0 ? order : left.id.compareTo(right.id);
    }
}
